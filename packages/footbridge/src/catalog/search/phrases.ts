/** What people say in several words, and what authors of skills write: phrases without articles, each in quotes, in the form of the hints. */
export const PHRASES = `
"put online" "put live" "go live" "make public" "push live": deploy deployment hosting
"takes forever" "takes ages" "too slow" "so slow" "too long" "time goes": performance profiling optimization
"looks ugly" "looks cheap" "looks boring" "looks bad" "look nice" "look better" "look good" "look modern" "make pretty": design visual
"plain english" "plain language" "simple words" "simple terms": explain clarity
"reads badly" "sounds wrong" "sounds robotic" "sound human" "too wordy": writing editing clarity
"make shorter" "boil down" "main points" "key points" "sum up" "in short": summary condense; "write back" "get back to": reply email
"keep track": tracking progress; "keep eye" "keeping eye": monitoring
"think through" "weigh up" "pros and cons" "cant decide" "can decide" "hard decision" "make up mind": decision reasoning
"come up with" "new ideas": brainstorm ideation
"split up" "small pieces" "into pieces" "smaller steps" "smaller tasks": plan decompose task
"doesn work" "not working" "stopped working" "won start" "keeps failing" "keeps crashing" "acting up" "worked yesterday": debug troubleshoot
"find out why" "real reason" "going on": debug "root cause"; "who wrote" "who changed": git blame history; "money back": refund
"break in" "get hacked" "got hacked": security vulnerability; "take payments" "charge people" "card payments" "get paid": payment billing
"too expensive" "costs too much" "save money" "spend less": cost optimization; "get noticed" "spread word" "more customers": marketing
"search results" "show up in" "rank higher" "higher in": seo ranking; "drop off" "nobody buys" "come back": conversion retention
"new hire" "new colleague" "first day" "new here": onboarding; "read to me" "out loud" "read aloud": speech voice audio
"who said" "what was said" "is being said": transcription speaker; "other languages" "another language": translation localization
"small screens" "on phones" "on mobile": responsive mobile; "by hand" "over and over" "again and again": automation repetitive
"by itself" "on its own" "without me" "hands off" "over night": autonomous automation loop
"every morning" "every day" "every night": schedule automation
"hard to read" "hard to follow" "hard to understand" "too complicated" "tidy up": simplify refactor cleanup
"break anything" "broke anything" "break something" "still works": regression verification test; "double check": verification review
"have look" "take look": review; "fake data": synthetic fixture; "on call": incident; "picture of" "draw me": image generation
"give a talk": presentation; "personal data" "private data": privacy gdpr; "teach me" "learn how": tutorial learning
"ask me questions": requirements interview; "what to build": requirements product; "from nothing" "get started": scaffold setup
"is down" "are down" "went down" "been down" "goes offline" "woke me": outage incident
"not responding" "doesn respond": timeout debug outage; "out of memory" "runs out": memory leak capacity
"used to work" "since update" "since upgrade": regression bisect debug
"once in while" "now and then" "at random" "every so often": flaky intermittent; "works on machine": environment container reproducible
"how much": price pricing cost; "free plan" "free tier" "free version" "paid plan": pricing freemium monetization
"stop using" "stopped using" "are leaving" "leave us" "don return": churn retention
"tell friends" "invite friends" "refer friends": referral viral; "come from" "how many people" "how many visitors": analytics traffic
"other companies" "what others": competitor competitive
"customers want" "users want" "talk to users" "talk to customers" "ask users" "ask customers": research interview user
"who buys": persona audience; "say no" "bad news": communication email
"sounds like ai" "like robot" "like ai" "ai generated" "written by ai": humanize slop; "spelling mistakes": proofread grammar
"on linkedin" "on twitter": social post; "how works" "does work": explain documentation; "up to speed": onboarding learn codebase
"new people" "new developers" "new members" "someone new": onboarding; "write down": documentation notes; "before i forget": notes memory
"each other": integration communication; "on top of": layout css overlap; "tap" "swipe": mobile gesture
"copy pasted" "same code": duplicate refactor; "where is used" "where used" "who calls" "gets called": references dependency search
"no longer used" "nobody uses" "nobody calls" "not used" "never used": unused dead cleanup; "get rid": remove cleanup delete
"before merge" "before merging" "ready to merge": review verification branch
"before ship" "before release" "before launch": readiness checklist release; "new version" "next version": release version upgrade
"latest version" "newer version": upgrade migration dependency; "move away" "move from" "move over" "switch from" "switch to": migration
"who did": audit log; "who has access" "can see": permission authorization; "forgot password" "stay logged": authentication session
"too many requests": "rate limiting" throttling; "in background": background job queue worker
"million rows" "millions of" "billions of" "many rows": scale large performance
"fit in memory" "fit into memory": memory distributed scale; "own computer" "own machine": local; "without internet": offline local
"own server" "own servers": selfhosted local; "go wrong" "goes wrong": risk failure premortem; "steal data" "get stolen": security breach
"how safe" "is safe": security audit
"several agents" "many agents" "multiple agents" "team of agents" "bunch of agents": multi agent orchestration swarm
"makes things up" "make things up" "made up": hallucination grounding; "how good" "how well": evaluation benchmark
"keep going" "keeps going" "until done" "until works" "until green" "never give up": loop autonomous persistent
"without asking": autonomous; "other model" "another model" "different model": model external council
"fewer tokens" "save tokens" "too many tokens" "context full" "out of context": context compaction token; "used last": history
"make sense of": analysis explain; "missing values": data cleaning quality; "over time": "time series" trend
"group customers": clustering segmentation; "fill out" "fill in": form pdf; "track changes" "tracked changes": docx document word
"pivot table": spreadsheet excel; "voice over": voiceover speech audio; "still image" "still images" "single image": frame image
"job interview" "find job" "new job": job resume career; "ask for raise": salary negotiation
"lose weight" "get fit": fitness nutrition health; "what to cook" "for dinner": recipe meal
"turn on" "turn off" "switch on": feature toggle; "user stories": story requirements agile; "to do list": todo task
"big files": upload storage large; "mail list" "mailing list": newsletter email
"open a store" "sell online" "online shop": ecommerce store; "word document": docx; "see what happens": simulation experiment
"why did" "why does": explain root cause debug; "one by one": sequential queue batch; "find people" "find someone": search recruiting lead
"get hired": resume job interview; "half done" "half finished": resume continue handoff
"is true" "really true" "actually true": verification fact evidence; "what changed": diff changelog history; "in order": sequence workflow
"who owns" "who is responsible": ownership responsibility; "only one person" "one person": "bus factor" ownership
"close by" "come near" "gets near": location geofence; "write tests" "need tests": test coverage
"learn from": lesson retrospective memory; "see everything": monitoring dashboard observability
"explore ideas" "think about": brainstorm exploration; "put together": create compose; "look up": search lookup; "sum of": total aggregate
"did we" "we talked" "talked about" "talk about" "we discussed" "we decided" "we said" "you said" "told you": history memory session conversation decision
"into text" "to text": transcription conversion; "into words": transcription writing; "into table": extraction spreadsheet
"from picture" "from photo": ocr image
"is possible" "possible at all" "would work" "could work" "worth trying" "try out": feasibility prototype spike
"worth building" "worth doing": validation evaluation
"poke around" "play around" "click around" "click through": exploratory browser test
"around here" "near me" "near by": places local location
"tell someone" "tell him" "hard conversation": feedback communication conversation; "talk to boss" "talk to manager": communication career
"time go" "time spent" "spend time" "takes time" "most time": performance profiling
"use less" "uses less" "needs less" "eats up": optimization performance; "teach you": skill learning
"from now on" "next time" "every time": memory rule convention hook; "not sure" "no idea" "don know": explain research investigate
"false alarm" "false alarms": "false positive" validation; "anything else" "something like" "alternatives to": alternative comparison
"understand error" "error message" "error says" "what error": error debug diagnose; "can reproduce": reproduce debug
"hangs forever": deadlock timeout; "keep informed" "let know" "tell when" "ping when" "text when": notification alert
"watch for" "look out": monitoring alert; "who talks to" "who depends on" "depends on": dependency architecture
"fit together" "hang together" "fits together" "boxes and arrows" "big picture": architecture diagram overview
"get rid of" "throw away" "throw out": remove delete cleanup; "less code" "fewer lines" "shorter code": simplify minimal refactor
"over engineered": simplify minimal; "get better" "make better" "make nicer": improve optimization polish
"best way" "right way" "proper way": "best practice" pattern guideline
"good enough" "is good" "any good" "what think" "be honest": review critique quality feedback
"not convinced" "don believe": verification critique; "show off" "show boss" "show customers": presentation demo
"explain to" "easy words" "for dummies" "for beginners" "like five": explain tutorial
"plan week" "plan day" "busy day": planning schedule calendar productivity; "to do first": prioritization
"make money" "earn money" "side project" "own business": monetization startup saas business
"find customers" "get customers" "get users" "first users": growth marketing acquisition
"read more" "get clicks" "nobody reads" "more readers": content marketing headline
"nobody comes" "no visitors" "no traffic": seo marketing traffic; "found on google" "in google" "on google": seo search
"look professional" "look expensive": design polish brand; "dark mode" "night mode": theme design; "fits on" "fit on": responsive layout
"looks same" "look same" "look alike": consistent design system
"look different" "looks different" "stand out": distinctive differentiation design
"get numbers" "numbers say" "right numbers": analytics data metrics; "draw conclusions": analysis statistics
"by chance": statistics significance; "how likely" "chances of": probability prediction forecast; "what if": scenario simulation
"next month" "next year" "next quarter": forecast planning; "somebody changed" "someone changed": history blame audit
"go back to" "old version" "previous version" "earlier version": rollback history revert
"same time zone" "different time zones": timezone; "put in order" "sort out": organize cleanup
"all over place" "in one place": consolidate organize; "on hold" "pause and" "pick up where": resume session
"someone else" "somebody else" "take over": handoff delegate; "split work" "share work": delegate parallel team
"without coding" "no code" "without programming": nocode automation; "from command" "on command line": cli terminal
"in browser" "in my browser": browser web; "ask questions" "ask first" "ask me first": interview clarify requirements
"what exactly" "not clear" "isn clear": clarify requirements specification
"allowed to" "are allowed" "may we": compliance legal policy permission; "by law" "legal trouble": legal compliance
"under age": privacy compliance; "check works" "make sure works" "really works" "prove works": verification test
"safe to": security safety review; "doesn break" "don break" "without breaking": compatibility regression contract; "on screen": screenshot; "last session" "last time" "left off" "where we were": session memory history
"remember what" "forgets everything": memory persistent; "up to date": outdated update; "at the same time": parallel concurrent
"go over" "look through": review; "hand over" "hand off": handoff context
`;

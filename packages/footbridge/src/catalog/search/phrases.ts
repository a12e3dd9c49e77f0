/** What people say in several words, and what authors of skills write: phrases without articles, each in quotes, in the form of the hints. */
export const PHRASES = `
"put online" "put live" "go live" "make public" "push live": deploy deployment hosting
"takes forever" "takes ages" "too slow" "so slow" "too long" "time goes": performance profiling optimization
"looks ugly" "looks cheap" "looks boring" "looks bad" "look nice" "look better" "look good" "look modern" "make pretty": design visual
"plain english" "plain language" "simple words" "simple terms": explain clarity
"reads badly" "sounds wrong" "sounds robotic" "sound human" "too wordy": writing editing clarity
"make shorter" "boil down" "main points" "key points" "sum up" "in short": summary condense
"write back" "get back to": reply email; "keep track": tracking progress; "keep eye" "keeping eye": monitoring
"think through" "weigh up" "pros and cons" "cant decide" "can decide" "hard decision" "make up mind": decision reasoning
"come up with" "new ideas": brainstorm ideation; "split up" "small pieces" "into pieces" "smaller steps" "smaller tasks": plan decompose task
"doesn work" "not working" "stopped working" "won start" "keeps failing" "keeps crashing" "acting up" "worked yesterday": debug troubleshoot
"find out why" "real reason" "going on": debug "root cause"; "who wrote" "who changed": git blame history; "money back": refund
"break in" "get hacked" "got hacked": security vulnerability; "take payments" "charge people" "card payments" "get paid": payment billing
"too expensive" "costs too much" "save money" "spend less": cost optimization; "get noticed" "spread word" "more customers": marketing
"search results" "show up in" "rank higher" "higher in": seo ranking; "drop off" "nobody buys" "come back": conversion retention
"new hire" "new colleague" "first day" "new here": onboarding; "read to me" "out loud" "read aloud": speech voice audio
"who said" "what was said" "is being said": transcription speaker; "other languages" "another language": translation localization
"small screens" "on phones" "on mobile": responsive mobile; "by hand" "over and over" "again and again": automation repetitive
"by itself" "on its own" "without me" "hands off" "over night": autonomous automation loop; "every morning" "every day" "every night": schedule automation
"hard to read" "hard to follow" "hard to understand" "too complicated" "tidy up": simplify refactor cleanup
"break anything" "broke anything" "break something" "still works": regression verification test; "double check": verification review
"have look" "take look": review; "fake data": synthetic fixture; "on call": incident; "picture of" "draw me": image generation
"give a talk": presentation; "personal data" "private data": privacy gdpr; "teach me" "learn how": tutorial learning
"ask me questions": requirements interview; "what to build": requirements product; "from nothing" "get started": scaffold setup
"last session" "last time" "left off" "where we were": session memory history; "remember what" "forgets everything": memory persistent
"up to date": outdated update; "at the same time": parallel concurrent; "go over" "look through": review; "hand over" "hand off": handoff context
`;

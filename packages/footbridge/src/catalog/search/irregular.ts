/** Forms of English words that stemming does not connect: `base: forms`. */
export const IRREGULAR = `
analyze: analysis analyses analyse analysed analysing; arise: arose arisen; awake: awoke awoken; begin: began begun
bend: bent; big: bigger biggest; bite: bitten; bleed: bled; blow: blew blown; break: broke broken; breed: bred; bring: brought
build: built rebuilt; burn: burnt; buy: bought; catalog: catalogue catalogues; catch: caught; center: centre centres
cheap: cheaper cheapest; child: children; choose: chose chosen choice choices; classify: classification classifier classifiers
compare: comparison comparisons; complain: complaint complaints; compress: compression; convert: conversion conversions; deal: dealt
decide: decision decisions; deliver: delivery deliveries; describe: description descriptions; dialog: dialogue dialogues; dig: dug
discover: discovery discoveries; draw: drew drawn; drink: drank drunk; drive: drove driven; easy: easier easiest easily; eat: ate eaten
explain: explanation explanations; fall: fell fallen; fast: faster fastest; fight: fought; fly: flew flown; foot: feet
forbid: forbade forbidden; forget: forgot forgotten; forgive: forgave forgiven; freeze: froze frozen; grow: grew grown growth
hide: hid hidden; hypothesis: hypotheses; identify: identification; index: indices; license: licence licences; lose: lost loss losses
maintain: maintenance; modify: modification modifications; mouse: mice; notify: notification notifications; pay: paid payment payments
program: programme programmes; quick: quicker quickest quickly; recover: recovery; redo: redid redone; reduce: reduction reductions
rewrite: rewrote rewritten; ride: rode ridden; rise: risen; safe: safer safest safely; sell: sold sale sales
send: sent; shake: shook shaken; shrink: shrank shrunk; sing: sang sung; sink: sank sunk; sleep: slept; slow: slower slowest slowly
small: smaller smallest; smart: smarter; speak: spoke spoken speech; specify: specification specifications; spend: spent; spin: spun
steal: stole stolen; stick: stuck; strike: struck; subscribe: subscription subscriptions; succeed: success successful successfully
swear: swore sworn; swim: swam swum; teach: taught; tear: tore torn; think: thought thoughts; throw: threw thrown
transcribe: transcription transcriptions transcript transcripts; understand: understood; verify: verification verifications
vertex: vertices; wear: wore worn; weave: wove woven; write: wrote written
`;

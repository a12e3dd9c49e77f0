/** English words that have little or no meaning in a search. */
import { stem } from './stemmer.js';

/** Grammar, politeness, and the words around a request: `could you please help me to find a good way of …`. */
const STOP_WORDS = `
a about above after again against all also although always am among an and another any anybody anyone anything anyway anywhere
are around as at away back be became because become been before being below between both but by came can cannot cant come
could couldnt did didnt do does doesnt doing done dont down during each either else enough etc even ever every everybody
everyone everything everywhere few for from further get gets getting give given gives giving goes going gone got had has
hasnt have havent having he hence her here hers him his how however i id ie if im in instead into is isnt it its ive just
keep keeps kind know known lack last least less let lets like likely look looks lot lots made make makes making many may
maybe me might mine more most much must my myself near need needed needs neither never no nobody none nor not nothing now
nowhere of off often ok okay old on once one ones only onto or other others our ours out over own per perhaps please put
quite rather really right said same say says see seem seems several shall she should shouldnt show since so some somebody
somehow someone something sometimes somewhere soon still stuff such take takes tell than thank thanks that thats the their
theirs them then there theres these they theyre thing things this those though through thus to together too toward towards
try trying under until up upon us use used uses using usually various very via want wanted wants was wasnt way ways we well
were werent what whatever whats when whenever where whereas wherever whether which while who whole whom whose why will with
within without wont would wouldnt yes yet you your yours yourself
aint aren couldn didn doesn don hadn hasn haven isn ll mustn re shouldn ve wasn weren won wouldn
able actually fine good great help helped helpful helping hi hello hey nice sure wondering
`;

/** Words of everyday English that have little meaning, however few skills contain them. */
const EVERYDAY_WORDS = `
accept across act action afternoon age ago agree aim allow alone along already amount angry answer appear apply area arrive
ask attention bad base basic basically bear beat beautiful begin believe belong big bit block bottom break bring broken brother
build built busy buy call calm care careful carry case catch cause certain chance change cheap check choice choose clean
clear clearly close cold collect colleague common compare complete complex condition consider contain continue convert
count couple course cover create current cut daily danger date daughter day days deal decide deep depend describe detail
different difficult direct directly discuss discover disappear double draw drop early effect effort empty end enter entire
especially evening exact exactly example except exist expect expensive extra fail failed fails fall far fast feel fill final
finally finish first five fly follow forever forget four free friend full fully fun general half hand handle happen
happens hard hate head hear heavy high hold home hope hour hours huge hundred hundreds hurt imagine important improve include
increase individual inside interest involve join keep kid kids know large late later learn leave left length level lie
life likely listen little live long lose loses lost love low main major manage matter mean means
meet member mention middle mind minute minutes miss missing mistake mix moment month monthly months morning move multiple name
natural nearly necessary night normal note notice number offer open organise organize original outside part
particular pass pick picks piece place play point possible prefer prepare present pretty prevent previous
probably produce proper protect prove provide public pull push raise random randomly range
reach read ready real realise realize reason receive recent recently recommend reduce remember remove repeat replace reply
request require respect rest result results return rich room rule run running runs safe save second seem select
sell send sense separate serious serve set settle shape short shut side similar simple single sister site sit situation
six size sleep slowly small smart smooth solution solve somebody sometime sort sound space speak special spend split stable
stand standard state stay step steps stop stopped stops straight strange strong stuck stupid succeed suddenly
suggest suit suitable suppose switch talk task ten terrible thousand thousands three throw till time times
tip tired title together tool tools top total touch track trouble true trust truth turn turns twice type understand understands
unknown useful useless usual value view visit wait walk watch weak wear week weekly weeks weird whenever
wide win wish wonder word words world worry worse worst worth year years yesterday young
app apps application system file files folder file's
`;

/**
 * Grammar of other languages, without accents: words that texts in these languages are full of, so that a request in one would find
 * whatever is written in it. Words that mean something in English are left out.
 */
const FOREIGN_STOP_WORDS = `
das dem den des nos ou da il lo al
aber alle alles auch auf aus bei bitte braucht brauche brauchen damit dann dass dein deine dem denn der deren dich diese diesem diesen
dieser dieses doch durch ein eine einem einen einer eines etwas euch fur gegen gibt habe haben hat ich ihm ihn ihr ihre immer ist jede
jeder jedes jetzt kann kannst keine keinen konnen mehr mein meine meinem meinen meiner mich mochte muss nach nicht nichts noch oder ohne
schon sehr seine sich sie sind soll sollen sollte uber und uns unser unsere unserem unseren unserer viele vom von vor warum welche welchen
welcher welches wenn wer werden wie wieder wir wird wurde zu zum zur zwischen aide aider aux avec besoin ce ceci cela ces cet cette chaque
dans donc du elle elles est et etre il ils je la le les leur leurs lui moi mon nos notre nous par peux pourquoi quand que quel quelle
quelles quels qui sont sur toi tous toute toutes tres une un veux voici vos votre vous algo aunque ayuda ayudame cada como cual cuando de
del desde donde el ella ellos en es esta estan estas esto estos hacer hace las lo los mi mis mucho muy necesito nuestra nuestras nuestro
nuestros para por porque puedo quiero se sobre su sus tambien tengo tiene tus una unas uno unos anche che chi cui dalla degli della delle
dello di dove gli loro mia mie miei mio nel nella non nostra nostro perche piu posso puoi quale quando quello questa questo sua suo sul
sulla tutti tutto voglio ajuda ao aos dela dele ela ele em essa esse eu isso meu meus minha minhas muito na nem nossa nosso num pela pelo
preciso qual quero sem seu seus suas tambem uma umas voce aan bij deze een graag het hoe jij maar mijn moet naar niet nog onze ook uit
voor waarom wat welke wij wil zijn zonder в во на не но и или из как какие какои к ко что чтобы для до по при с со от о об мои моя мое
моего мне меня мы нам наш наша нашего нас вы вам это этот эта этого так уже я ты он она они его ее их надо нужно можно есть быть у за под
если то все всех где когда почему пожалуиста помоги
`;

const stop: ReadonlySet<string> = new Set(`${STOP_WORDS} ${FOREIGN_STOP_WORDS}`.split(/\s+/).filter(Boolean));

/** Whether a word has no meaning in a search. */
export function isStopWord(word: string): boolean {
  return stop.has(word);
}

const everyday: ReadonlySet<string> = new Set(EVERYDAY_WORDS.split(/\s+/).filter(Boolean));

/** Whether a word is one of everyday English, as it stands or as its stem. */
export function isEveryday(word: string): boolean {
  return everyday.has(word) || everyday.has(stem(word));
}

/** Around `go` as something people do, not as the language. */
const BEFORE_GO = `
i you we they it to can could cant should would will wont must may might do does dont doesnt didnt not never let lets please things
who that
`;
const AFTER_GO = `
to through down over away back on in with wrong live ahead up out off into for from by around along when if as via there
`;
const beforeGo: ReadonlySet<string> = new Set(BEFORE_GO.split(/\s+/).filter(Boolean));
const afterGo: ReadonlySet<string> = new Set(AFTER_GO.split(/\s+/).filter(Boolean));

/** Whether the name of a technology is meant as a verb: `go through it`, `react to it`. */
export function isVerb(word: string, before: string, next: string): boolean {
  if (word === 'react') return next === 'to';
  return word === 'go' && (beforeGo.has(before) || afterGo.has(next));
}

/** What people say besides what they want. */
export type SmallTalk =
  | 'thanks'
  | 'hello'
  | 'bye'
  | 'help'
  | 'who'
  | 'human'
  | 'how-are-you'
  | 'yes'
  | 'no'
  | 'praise'
  | 'sorry'
  | 'rude'
  | 'thinking'

const patterns: readonly (readonly [SmallTalk, RegExp])[] = [
  [
    'rude',
    /\b(?:stupid|idiot(?:ic)?|useless|dumb|moron|fuck\w*|shit\w*|crap|bullshit|bloody hell|shut up|piss off|get lost|i hate you|you suck)\b/,
  ],
  ['help', /^(?:help(?: me)?|\?+|options|menu|commands)$/],
  [
    'help',
    /\bwhat (?:else )?(?:can|could|do) (?:you|i|we) (?:do|help|offer|ask|say)\b|\bhow (?:does this|do you|can you) (?:work|help)\b|\bwhat(?: is|'s) this\b/,
  ],
  [
    'help',
    /\bhow (?:do|can|does one|should) (?:i|we|one) (?:use|start|begin|book|pay|order|do)\b|\bneed (?:some )?help\b/,
  ],
  [
    'human',
    /\b(?:talk|speak|chat|connect|put|transfer)\b.*\b(?:human|(?:real |actual )?person|someone|somebody|operator|representative|manager|staff)\b|^(?:a )?(?:human|operator|real person)(?: please)?$/,
  ],
  [
    'who',
    /\bwho are you\b|\bwhat are you\b|\bare you (?:a |an )?(?:real|human|person|robot|bot|ai|machine|model)\b|\byour name\b/,
  ],
  ['how-are-you', /^(?:hi |hello |hey )?how are (?:you|things)\b|\bhow(?: is|'s) it going\b/],
  ['no', /^(?:no|nope|nah) (?:thanks?|thank you)\b/],
  [
    'thanks',
    /\b(?:thanks?(?: you)?|thank you|thx|cheers|much appreciated|ta)\b(?! for the)|^ty\b|^(?:merci|danke|gracias|grazie|obrigad[oa]|tack)(?: (?:beaucoup|schön|sehr|mille|mil|muchas))*$|^muchas gracias$/,
  ],
  [
    'bye',
    /^(?:ok |okay )?(?:good ?bye|bye(?: bye)?|see you(?: later)?|that(?: is|'s) all|that will be all|good ?night)\b/,
  ],
  ['hello', /^(?:hello|hi|hey|hiya|good (?:morning|afternoon|evening|day)|greetings)\b/],
  [
    'yes',
    /^(?:yes|yeah|k|kk|yep|yup|sure|ok|okay|go ahead|do it|please do|go on|right|correct|exactly|of course|alright|fine)\b/,
  ],
  ['no', /^(?:no|nope|nah|not now|not yet|no way)\b/],
  [
    'thinking',
    /^(?:h+m+|e?r+m+|u+m+|well|let me (?:think|see|check)\b.*|(?:i am |i'm )?not (?:sure|decided)(?: yet)?|(?:i )?(?:do not|don't|dunno) ?(?:know)?(?: yet)?|i(?: will| need to|'ll)? think about it|(?:just )?(?:a|one) (?:moment|second|minute|sec)(?: please)?|(?:please )?wait)$/,
  ],
  ['sorry', /^(?:(?:i am|i'm|oh|so|very) )*(?:sorry|apologies|my (?:mistake|bad)|oops)\b/],
  [
    'praise',
    /^(?:(?:that is|that's|looks|sounds|very|so) )?(?:lol|(?:ha)+h?|great|good|nice|perfect|lovely|wonderful|excellent|awesome|cool|brilliant|amazing|wow)\b/,
  ],
]

const maxWords = 9

/** What a short text says besides what is wanted; undefined when it says something else. */
export function smallTalkIn(text: string): SmallTalk | undefined {
  const words = text
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(/[^\p{L}\p{N}'? ]+/gu, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()
  if (words === '' || words.split(' ').length > maxWords) return undefined
  return patterns.find(([, pattern]) => pattern.test(words))?.[0]
}

// Common words of languages that a script meets; none of them is English.
const foreign =
  /\b(?:hola|buenos|buenas|gracias|hablas?|español|quiero|quisiera|vuelos?|para|por favor|dónde|cuánto|bonjour|bonsoir|salut|merci|je|parlez|français|demain|voudrais|vols?|pour|réserver|combien|guten|hallo|danke|ich|möchte|können|kannst|deutsch|morgen|heute|um|flüge?|nach|bitte|wieviel|hotels? in der|ciao|buongiorno|grazie|vorrei|voli|olá|obrigad[oa]|voos|hej|tack|dziękuję|cześć|dank je|goedemorgen|vluchten|merhaba|teşekkürler)\b/i
const english =
  /\b(?:the|to|for|in|and|me|my|is|a|flights?|find|please|add|book|what|want|from|on|of|you|it|with|people|can|cruises?)\b/gi

/** True for a text that is not in English, as far as a list of words can tell. */
export function isForeign(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? []
  const others = letters.filter((letter) => !/\p{Script=Latin}/u.test(letter))
  if (letters.length > 0 && others.length > letters.length / 2) return true
  // “Merci!” alone is answered like any other thanks.
  return foreign.test(text) && (text.match(english) ?? []).length < 2 && smallTalkIn(text) !== 'thanks'
}

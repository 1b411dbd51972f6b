/** Kinds of what people say. */
export const INTENTS = ['question', 'command', 'conversation', 'dictation', 'other'] as const
export type Intent = (typeof INTENTS)[number]

/** The words of a text, as the score compares them. */
function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[a-z0-9_]+/g) ?? [])
}

/**
 * Returns the share of common words among all words of two texts (Jaccard, 1901), 0 to 1; null when one of them has no
 * word, since two empty texts agree in nothing.
 */
export function jaccard(one: string, other: string): number | null {
  const [a, b] = [wordsOf(one), wordsOf(other)]
  if (a.size === 0 || b.size === 0) return null
  const common = [...a].filter((word) => b.has(word)).length
  return common / (a.size + b.size - common)
}

const QUESTION =
  /^(?:who|what|when|where|why|which|whose|how|is|are|am|was|were|do|does|did|can|could|will|would|should|may|has|have)\b/i
const COMMAND =
  /^(?:please |hey \w+,? )?(?:turn|play|stop|set|call|open|close|send|show|tell|give|add|remove|delete|start|cancel|remind|book|order|find|search|read|write|make|create|switch|pause|resume|text|mail)\b/i
const CONVERSATION =
  /^(?:hello|hi|hey|good (?:morning|evening|afternoon)|thanks|thank you|yes|no|okay|ok|well|sure|bye)\b|\b(?:how are you|nice to meet)\b/i
/** Words from which on a text without another mark counts as dictated. */
const DICTATION_WORDS = 25

/** Guesses what kind of speech a transcript is: a heuristic for English, by its first words and its length. */
export function intentOf(transcript: string): Intent {
  const text = transcript.trim()
  if (text.endsWith('?') || QUESTION.test(text)) return 'question'
  if (COMMAND.test(text)) return 'command'
  if (CONVERSATION.test(text)) return 'conversation'
  return text.split(/\s+/).length >= DICTATION_WORDS ? 'dictation' : 'other'
}

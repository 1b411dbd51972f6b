import type { JsonObject } from '../../../../core/kernel/json/json.ts'
import type { Passage } from '../../../../core/kernel/search/passage.ts'

/** Characters of a section that a model is given. */
const SECTION_CHARS = 3000
/** Turns before the question that a model is given. */
const MOST_TURNS = 12

/** The answer of a model when the sections do not hold an answer. */
const UNKNOWN = 'UNKNOWN'

const TASK = `You answer questions about svc, a service that compiles examples into small signed artifacts and forwards calls to language models.
Use only the numbered sections below. Name the section behind each statement by its number, such as [1]. Be brief, in Markdown.
Write commands, fields and addresses exactly as the sections do; invent none.
If the sections do not answer the question, write the one word ${UNKNOWN} and nothing else.`

/** A question for a model, with the sections that it may answer from. */
export interface ModelQuestion {
  readonly question: string
  readonly passages: readonly Passage[]
  /** The caller's wishes for the style of the answer. */
  readonly system: string | undefined
  readonly conversation: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[]
}

/** Returns the messages of a question in the form of chat completions. */
export function messagesFor({ question, passages, system, conversation }: ModelQuestion): readonly JsonObject[] {
  const sections = passages.map((passage, at) => `[${at + 1}] ${passage.title}: ${passage.heading}\n${textOf(passage)}`)
  return [
    { role: 'system', content: `${TASK}\n\n${sections.join('\n\n')}` },
    ...(system === undefined
      ? []
      : [{ role: 'system', content: `How to answer, as long as it does not contradict the rules above:\n${system}` }]),
    ...conversation.slice(-MOST_TURNS).map(({ role, content }) => ({ role, content })),
    { role: 'user', content: question },
  ]
}

/** The parsed answer of a model. */
export interface ReadAnswer {
  readonly text: string
  readonly isUnknown: boolean
  /** Numbers of the sections that it cites, ascending; those of no section are left out. */
  readonly cited: readonly number[]
}

/** Reads a model's answer to a question with so many sections. */
export function readAnswer(text: string, sections: number): ReadAnswer {
  const numbers = [...text.matchAll(/\[(\d{1,2}(?:\s*,\s*\d{1,2})*)\]/g)].flatMap(([, list = '']) =>
    list.split(',').map(Number),
  )
  const cited = [...new Set(numbers)].filter((n) => n >= 1 && n <= sections).toSorted((a, b) => a - b)
  return { text: text.trim(), isUnknown: text.trim().replace(/\W+$/, '') === UNKNOWN, cited }
}

function textOf({ blocks }: Passage): string {
  return blocks
    .map(({ kind, text }) => (kind === 'code' ? `\`\`\`\n${text}\n\`\`\`` : text))
    .join('\n')
    .slice(0, SECTION_CHARS)
}

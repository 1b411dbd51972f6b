import type { TeacherIdentity } from '../../../core/compile/stages/teacher/teacher-types.ts'
import type { ScriptedCall } from '../../support/providers/scripted-model.ts'

/** Calls whose answer is a word of the call in capitals. */
export const CALLS = ['ada', 'bob', 'cleo', 'dora', 'emil', 'finn', 'gina', 'hugo'].map(
  (name) => [`Write the name in capitals: ${name}`, name.toUpperCase()] as const,
)

const THINGS = ['lamp', 'book', 'chair', 'table', 'clock', 'radio', 'shirt', 'shoe', 'coat', 'bag'] as const
const PLACES = ['Bern', 'Oslo', 'Rome'] as const
/** Sixty tickets of two kinds, of which every tenth has the label of the other kind. */
export const TICKETS = THINGS.flatMap((thing) =>
  PLACES.flatMap((place) => [
    [`Where is the parcel with the ${thing} that I sent to ${place}?`, 'shipping'] as const,
    [`The invoice for the ${thing} from ${place} shows a wrong amount`, 'billing'] as const,
  ]),
).map(([text, label], at) => [text, isWrong(at) ? (label === 'billing' ? 'shipping' : 'billing') : label] as const)

/** Texts of the tickets with the label of the other kind. */
export const MISLABELLED: ReadonlySet<string> = new Set(TICKETS.flatMap(([text], at) => (isWrong(at) ? [text] : [])))

function isWrong(at: number): boolean {
  return at % 10 === 7
}

/** Answers of a teacher that knows the label of a ticket, as many as were asked for. */
export function rightLabels({ messages, n }: ScriptedCall): readonly string[] {
  const answer = messages.at(-1)?.text.includes('parcel') ? 'shipping' : 'billing'
  return Array.from({ length: n }, () => JSON.stringify({ answer }))
}

/** The operator's teacher as the API knows it. */
export const HOUSE_TEACHER: TeacherIdentity = {
  model: 'house-teacher',
  dialect: 'chat-completions',
  prices: null,
  settings: { programSamples: 1, labelSamples: 1, samplesPerCall: 1, maxOutputTokens: 1024, budgetUsd: 1 },
}

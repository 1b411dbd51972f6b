import type { EvalRow } from '../../core/compile/archive/evals.ts'
import type { Json, JsonObject } from '../../core/kernel/json/json.ts'
import type { Operation } from '../../db/kernel/operation.ts'
import type { SigningKey } from '../../core/ledger/keys/signing-key.ts'
import { upperRows } from '../support/archives/archives.ts'
import { givenVersion } from '../support/archives/signed-artifacts.ts'

const INPUT = { op: 'input' }
const field = (name: string) => ({ op: 'field', of: INPUT, name })

/** An input that some language or shell could read as something else, and a program whose answer shows what arrived. */
export interface HostileTask {
  readonly name: string
  readonly body: JsonObject
  readonly input: Json
  readonly answer: string
}

const echo = (name: string, input: string): HostileTask => ({ name, body: INPUT, input, answer: input })

/** Ten tasks, one artifact each. */
export const HOSTILE: readonly HostileTask[] = [
  echo('quotes', `He said "it's \`now\`" or 'never' ''' """`),
  echo('line ends', 'first\nsecond\r\n\tindented\nEOF\n'),
  echo('backslashes', String.raw`C:\new\table\\ \u0041 \x41 \N{BULLET} \' \" \0`),
  echo('other scripts', 'Zoë — 東京 😀 ‮مرحبا‬ a\u2028b\u00a0c\ufeff'),
  echo('shell', '$HOME $(id) ${PATH} `id` !! !$ !1 * ~ & ; | # > /dev/null %PATH%'),
  echo('an option', '--version -- -5'),
  echo('format strings', "{x} {0} %s %(a)s ${1 + 1} f'{1}' #{y} None True null"),
  echo('nothing', ''),
  {
    name: 'an object',
    body: { op: 'concat', parts: [field("the 'first' name"), { op: 'literal', value: '/' }, field('a "b" $c')] },
    input: JSON.parse(
      `{"the 'first' name": "O'Brien!", "a \\"b\\" $c": "a\\"b\\\\", "flags": [true, false, null, -1.5e-7]}`,
    ),
    answer: 'O\'Brien!/a"b\\',
  },
  { name: 'a number', body: { op: 'toText', of: INPUT }, input: -12.5, answer: '-12.5' },
]

/** Publishes a task as an artifact whose held-out rows hold its input. */
export async function givenHostile(op: Operation, task: HostileTask, signer: SigningKey) {
  const { body, input, answer } = task
  const row: EvalRow = { id: 'first', input, expected: answer, output: answer, abstained: false, correct: true }
  const recipe = { kind: 'program', recipe: { language: 'svc-recipe-1', body } } as const
  return await givenVersion(op, { recipe, training: null, task: task.name, rows: [row, ...upperRows(11)], signer })
}

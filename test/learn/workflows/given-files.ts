import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inlineRows } from './dataset-calls.ts'

/** Captured calls of a namespace. */
export const TICKETS = [
  ['The invoice for March shows the wrong amount', 'billing'],
  ['I forgot my password this morning', 'login'],
  ['Where is my parcel right now', 'shipping'],
  ['Please send me the invoice again', 'billing'],
  ['The password reset mail never came', 'login'],
  ['The parcel arrived with a broken corner', 'shipping'],
  ['Why does the invoice list two seats', 'billing'],
  ['My new password is refused', 'login'],
  ['My parcel went to the wrong street', 'shipping'],
  ['I paid the invoice twice by mistake', 'billing'],
  ['Please reset the password of my colleague', 'login'],
  ['Tracking says the parcel is late', 'shipping'],
] as const

const lines = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).join('\n')
const many = (rowAt: (at: number) => object) => lines(Array.from({ length: 6 }, (_, at) => rowAt(at)))
/** Files by their names, with the type of their rows. */
export const FILES: readonly (readonly [string, string, string])[] = [
  ['text.jsonl', many((at) => ({ text: `text ${at}` })), 'text'],
  [
    'chat.jsonl',
    many((at) => ({
      messages: [
        { role: 'user', content: `hi ${at}` },
        { role: 'assistant', content: 'yo' },
      ],
    })),
    'text',
  ],
  ['pref.jsonl', many((at) => ({ prompt: `p ${at}`, chosen: 'good', rejected: 'bad' })), 'preference'],
  ['kto.jsonl', many((at) => ({ prompt: `p ${at}`, completion: 'c', label: at % 2 === 0 })), 'unpaired'],
  [
    'alpaca.json',
    JSON.stringify([0, 1, 2, 3].map((at) => ({ instruction: `do ${at}`, input: 'it', output: 'done' }))),
    'prompt_completion',
  ],
  [
    'sharegpt.jsonl',
    many((at) => ({
      conversations: [
        { from: 'human', value: `q ${at}` },
        { from: 'gpt', value: 'a' },
      ],
    })),
    'text',
  ],
  ['table.csv', 'input,output\n"one, two",1\nthree,2\nfour,3\n', 'prompt_completion'],
]

/** Writes a folder of Hugging Face's kind: five rows to train on in one file, two to test in another. */
export async function writeFolder(folder: string): Promise<void> {
  await mkdir(join(folder, 'data'), { recursive: true })
  await writeFile(
    join(folder, 'README.md'),
    '---\nconfigs:\n- config_name: default\n  data_files:\n  - split: train\n    path: data/a-*.jsonl\n  - split: test\n    path: data/b.jsonl\n---\n',
  )
  await writeFile(join(folder, 'data', 'a-0.jsonl'), lines(inlineRows(0, 5)))
  await writeFile(join(folder, 'data', 'b.jsonl'), lines(inlineRows(5, 2)))
}

/** A row with the label of the other topic. */
export const WRONG_LABEL = { input: 'invoice payment amount case 99', output: 'shipping' }
const TOPICS = Array.from({ length: 60 }, (_, at) => {
  const topic = at % 2 === 0 ? 'invoice payment amount' : 'parcel delivery street'
  return { input: `${topic} case ${at}`, output: at % 2 === 0 ? 'billing' : 'shipping' }
})
/** Sixty rows of two topics, one of them again, one with a wrong label, a contradiction, and one with an address of mail. */
export const FAULTY_ROWS: readonly object[] = [
  ...TOPICS,
  ...TOPICS.slice(0, 1),
  WRONG_LABEL,
  { input: 'Parcel delivery street case 1!', output: 'billing' },
  { input: 'parcel delivery street case, write to ada.lovelace@example.org', output: 'shipping' },
]

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

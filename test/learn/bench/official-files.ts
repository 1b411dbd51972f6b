import { gzipSync } from 'node:zlib'

const BLOCK = 512

/** Returns a tar as POSIX describes it, of files by their paths; an entry may be a link. */
export function tarOf(entries: readonly { readonly name: string; readonly text?: string; readonly link?: string }[]) {
  const blocks = entries.map(({ name, text = '', link }) => {
    const body = Buffer.from(text)
    const header = Buffer.alloc(BLOCK)
    header.write(name, 0)
    header.write('0000644\0', 100)
    header.write(`${body.length.toString(8).padStart(11, '0')}\0`, 124)
    header.write('00000000000\0', 136)
    header.write('        ', 148)
    header.write(link === undefined ? '0' : '2', 156)
    header.write(link ?? '', 157)
    header.write('ustar\x0000', 257)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return Buffer.concat([header, body, Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK)])
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])
}

/** Two subjects in the form of MMLU's `data.tar`: the first choice names the letter of the right one. */
export const MMLU_TAR = tarOf([
  {
    name: 'data/dev/sea_lore_dev.csv',
    text: '"Which sea is salt, or fresh?",salt,fresh,both,none,A\nWhich fish flies?,cod,eel,flying fish,ray,C\n',
  },
  {
    name: 'data/test/sea_lore_test.csv',
    text: 'a) tide is?,rise,fall,both,none,C\nb) is the right letter?,w,x,y,z,B\n"c, or what?",w,x,y,z,D\n',
  },
  { name: 'data/test/stars_test.csv', text: 'question,A,B,C,D,answer\nd) is near?,w,x,y,z,D\n' },
  { name: 'data/README.txt', text: 'not read' },
])

/** Tasks whose completion is the prompt in capitals: a comment. One passes, one fails. */
export const HUMANEVAL_GZ = gzipSync(
  [
    {
      task_id: 'Own/0',
      prompt: '# the size of a number\n',
      entry_point: 'abs',
      canonical_solution: '',
      test: 'def check(candidate):\n    assert candidate(-2) == 2\n',
    },
    {
      task_id: 'Own/1',
      prompt: '# the square of a number\n',
      entry_point: 'abs',
      canonical_solution: '',
      test: 'def check(candidate):\n    assert candidate(-2) == 4, "is no square"\n',
    },
  ]
    .map((task) => JSON.stringify(task))
    .join('\n'),
)

/** Three questions in the form of MT-Bench's `question.jsonl`. */
export const MTBENCH = [
  { question_id: 81, category: 'writing', turns: ['Write a line on rain.', 'Now on the snow that follows it.'] },
  { question_id: 82, category: 'math', turns: ['What is 2 + 3?', 'Double it.'], reference: ['5', '10'] },
  { question_id: 83, category: 'math', turns: ['Speak of nothing.', 'Again.'] },
]
  .map((question) => JSON.stringify(question))
  .join('\n')

import { expect } from 'chai'
import { prepareTask } from '../../../core/learn/evals/prompts/prepare-task.ts'
import { parseTemplate } from '../../../core/learn/evals/prompts/template.ts'
import { readTasks } from '../../../core/learn/evals/task/read-tasks.ts'
import type { JsonObject } from '../../../core/kernel/json/json.ts'

const OPTIONS = { fewShots: null, limit: null, seed: 1234, sliceBy: null, clusterBy: null }

const sums = [
  [1, 2],
  [3, 1],
  [5, 5],
  [7, 2],
  [4, 9],
  [8, 8],
  [6, 3],
  [2, 9],
] as const
const train: readonly JsonObject[] = sums.map(([a, b]) => ({
  q: `${a} plus ${b}?`,
  a: String(a + b),
  ok: a > b,
  tags: ['x', 'y'],
  n: a % 2,
  opts: [String(a + b), String(a - b)],
}))
const test: readonly JsonObject[] = [
  { q: '9 plus 1?', a: '10', ok: true, tags: ["it's", 'b'], n: 0, opts: ['10', '8'] },
  { q: '2 plus 2? ', a: '4', ok: false, tags: [], n: 1, opts: ['0', '4'] },
]

/** Prompts and continuations of the first rows of a task. */
function argumentsOf(task: string): readonly (readonly string[])[] {
  const [config] = readTasks({ task }).tasks
  if (config === undefined) throw new Error('no task')
  return prepareTask(config, { train, test }, OPTIONS).flatMap(({ requests }) =>
    requests.map((request) =>
      request.type === 'loglikelihood_rolling'
        ? [request.text]
        : request.type === 'loglikelihood'
          ? [request.context, request.continuation]
          : [request.context],
    ),
  )
}

/** Expected prompts were made once with lm-evaluation-harness 0.4.13 on the same rows. */
describe('prompts of evaluation tasks', () => {
  it('draws examples and writes values as lm-evaluation-harness does', () => {
    const task = String.raw`
task: drawn
test_split: test
fewshot_split: train
output_type: multiple_choice
description: "Add.\n"
doc_to_text: "Q: {{q.strip()}} {{tags}} {{ok}}\nA:"
doc_to_choice: opts
doc_to_target: n
num_fewshot: 3
`
    const first =
      "Add.\nQ: 2 plus 9? ['x', 'y'] False\nA: 11\n\nQ: 1 plus 2? ['x', 'y'] False\nA: -1\n\nQ: 6 plus 3? ['x', 'y'] True\nA: 9\n\nQ: 9 plus 1? [\"it's\", 'b'] True\nA:"
    const second =
      "Add.\nQ: 3 plus 1? ['x', 'y'] True\nA: 2\n\nQ: 6 plus 3? ['x', 'y'] True\nA: 9\n\nQ: 4 plus 9? ['x', 'y'] False\nA: 13\n\nQ: 2 plus 2? [] False\nA:"
    expect(argumentsOf(task)).to.deep.equal([
      [first, ' 10'],
      [first, ' 8'],
      [second, ' 0'],
      [second, ' 4'],
    ])
  })

  it('puts a prefix of the answer behind the question, in examples too', () => {
    const task = `
task: own_split
test_split: train
output_type: generate_until
doc_to_text: q
doc_to_target: a
gen_prefix: "It is"
num_fewshot: 2
fewshot_config: {sampler: first_n}
`
    const [first, second] = argumentsOf(task)
    expect(first).to.deep.equal(['1 plus 2? It is 3\n\n3 plus 1? It is 4\n\n1 plus 2? It is'])
    expect(second).to.deep.equal(['1 plus 2? It is 3\n\n3 plus 1? It is 4\n\n3 plus 1? It is'])
  })

  it('writes one prompt for each option where the options stand in the question', () => {
    const task = String.raw`
task: both
test_split: test
training_split: train
output_type: multiple_choice
doc_to_text: "{{n}}"
doc_to_target: "{{q|regex_replace('plus', '+')}}"
doc_to_choice: "{{['Yes ' + a, 'No']}}"
num_fewshot: 1
`
    expect(argumentsOf(task)).to.deep.equal([
      ['Yes 11 2 + 9?\n\nYes 10', ' 9 + 1?'],
      ['Yes 11 2 + 9?\n\nNo', ' 9 + 1?'],
      ['No 3 + 1?\n\nYes 4', ' 2 + 2? '],
      ['No 3 + 1?\n\nNo', ' 2 + 2? '],
    ])
  })

  it('keeps line ends of templates and refuses missing columns', () => {
    expect(parseTemplate('{% if a %}\nx{{a}}\n{% endif %}\n').render({ a: 1 })).to.equal('\nx1\n\n')
    expect(() => parseTemplate('{{ missing }}').render({})).to.throw('"missing", which is not there')
    expect(() => parseTemplate('{{ a.b | trim }}{{ a.c }}').render({ a: { b: 'x' } })).to.throw('"a.c", which is')
    expect(parseTemplate("{{ b if b is defined else 'none' }}").render({})).to.equal('none')
  })
})

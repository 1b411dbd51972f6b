import { expect } from 'chai'
import { prepareSet } from '../../../core/learn/evals/thread/eval-tasks.ts'
import { kScoreOfAxes } from '../../../core/learn/gate/posted/point.ts'
import { DomainError } from '../../../core/kernel/errors.ts'

/** Texts of tasks and names of splits that no honest caller sends. */
describe('an evaluation task with hostile texts', () => {
  const TASK = 'task: t\ntest_split: test\ndoc_to_text: "{{q}}"\ndoc_to_target: "{{a}}"\n'
  const OPTIONS = { fewShots: null, limit: null, seed: 1, sliceBy: null, clusterBy: null }
  const splits = { test: [{ q: 'x', a: 'y' }] }

  /** Code and message of the refusal. */
  function refusal(files: Record<string, string>, options: Partial<typeof OPTIONS> | { sliceBy: string } = {}): string {
    try {
      const { rows } = prepareSet({ files, splits, options: { ...OPTIONS, ...options } })
      return `accepted ${rows.length}, slice ${rows[0]?.slice}`
    } catch (error) {
      return error instanceof DomainError ? `${error.code}: ${error.message}` : `internal: ${String(error)}`
    }
  }

  it('names no split, column or slice by a member that every object has', () => {
    for (const name of ['constructor', 'toString', '__proto__']) {
      const split = refusal({ task: TASK.replace('test_split: test', `test_split: ${name}`) })
      expect(split).to.equal(`invalid_eval_task: t: there are no rows of the split "${name}" in \`data\``)
    }
    const examples = refusal({ task: `${TASK}fewshot_split: constructor\nnum_fewshot: 1\n` })
    expect(examples).to.include('invalid_eval_task: t: there are no rows of the split "constructor"')
    expect(refusal({ task: TASK }, { sliceBy: 'constructor' })).to.equal('accepted 1, slice null')
  })

  it('is refused when its group or its value holds itself', () => {
    const group = refusal({ task: 'group: g\ntask: [g]\n', g: 'group: g\ntask: [g]\n' })
    expect(group).to.equal('invalid_eval_task: task: group "g" is inside of itself')
    const two = { a: 'group: a\ntask: [b]\n', b: 'group: b\ntask: [a]\n' }
    expect(refusal({ task: 'group: g\ntask: [a]\n', ...two })).to.include('group "a" is inside of itself')
    expect(refusal({ task: `${TASK}metadata: &m {again: *m}\n` })).to.match(/^invalid_eval_task: task: /)
  })

  it('is refused before it is stored when a pattern of its metrics is none', () => {
    const metrics = (pattern: string) =>
      refusal({ task: `${TASK}metric_list: [{metric: exact_match, regexes_to_ignore: ["${pattern}"]}]\n` })
    expect(metrics('((')).to.include('invalid_eval_task: t: metric_list: regexes_to_ignore: ')
    expect(metrics('(?=a)b')).to.include('invalid_eval_task: t: metric_list: regexes_to_ignore: ')
    expect(metrics('a+')).to.equal('accepted 1, slice null')
    const many = Array.from({ length: 200 }, () => '{metric: exact_match}').join(', ')
    expect(refusal({ task: `${TASK}metric_list: [${many}]\n` })).to.match(/^invalid_eval_task: task, metric_list: /)
  })
})

describe('posted axes of a gate', () => {
  it('have no weight by the name of a member that every object has', () => {
    expect(kScoreOfAxes({ constructor: 1, toString: 1 })).to.equal(null)
    expect(kScoreOfAxes({ A: 0.5, constructor: 1 })).to.equal(0.5)
  })
})

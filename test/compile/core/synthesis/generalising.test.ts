import { expect } from 'chai'
import { ALL_TASKS } from '../../../../bench/tasks/all.ts'
import { programRunner } from '../../../../core/compile/language/runner.ts'
import { DEFAULT_WORK_BUDGET, synthesize } from '../../../../core/compile/synthesis/synthesize.ts'

const TASKS: Readonly<Record<string, number>> = {
  'long to iso': 4,
  'short weekday and date': 4,
  'add 30 days': 4,
  'days between, text': 4,
  'mixed formats to iso': 5,
  dollars: 4,
  'read euro text': 4,
  grams: 4,
  'quarter hours': 4,
  decade: 4,
  grade: 8,
  camel: 4,
  'dotted initials': 4,
  'order id': 4,
  slug: 4,
  'stars of same length': 4,
  'url host': 4,
  'log part and text': 4,
  'optional suite': 4,
  'middle name': 4,
  'receipt line': 4,
  'with tax': 4,
  'sort words': 4,
  bullets: 4,
  'numbers in text': 4,
  'line objects': 4,
  'order total': 4,
  'card to object': 4,
  'drop nulls': 4,
  'waiting time in minutes': 4,
  'k and M': 4,
  bits: 4,
  'brackets for debts': 4,
  'score line': 4,
  'address of what is there': 4,
  'to utc': 4,
  'due date': 4,
  'next quarter of an hour': 4,
  'short notes': 4,
  'phones of all kinds': 4,
  'contact object': 4,
  'stock state': 6,
  'passed by share': 6,
  'same but for case': 6,
  'tens from one': 6,
  'ticket desk': 19,
  'hours minutes seconds': 4,
  'gross margin': 4,
  'parking fee': 4,
  'in range': 4,
  'stay within a month': 4,
  'next workday': 4,
  'middle initial': 4,
  'constant to sentence': 4,
  'log route': 4,
  'colour to numbers': 4,
  'colour to list': 4,
  'numbers to colour': 4,
  'angle to degrees': 4,
  'angle with a hemisphere': 6,
  'pace of a run': 4,
  'pace of a time': 4,
  'counted items': 4,
  'people in a room': 4,
  'weight for height': 12,
  'passed by a share in a text': 8,
  'open boxes': 4,
  'longest of three': 4,
  'week of its year': 4,
}

describe('synthesize on a few examples', () => {
  for (const [name, train] of Object.entries(TASKS)) {
    it(`finds "${name}" from ${train}`, () => {
      const task = ALL_TASKS.find((candidate) => candidate.name === name)
      if (task === undefined) throw new Error(`no task "${name}"`)
      const rows = task.examples.slice(0, train).map((example, i) => ({ id: `row_${i + 1}`, ...example }))
      const best = synthesize(rows, { k: 3, workBudget: DEFAULT_WORK_BUDGET }).candidates[0]
      if (best === undefined) throw new Error('no candidate')
      const runner = programRunner(best.program)
      for (const { input, output } of task.examples.slice(train)) expect(runner.run(input).output).to.deep.equal(output)
      // One of the messages names no keyword.
      expect(best.trainMatches).to.be.at.least(name === 'ticket desk' ? train - 1 : train)
    })
  }
})

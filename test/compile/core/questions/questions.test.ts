import { expect } from 'chai'
import { applyAnswers, checkAnswer } from '../../../../core/compile/synthesis/questions/apply-answers.ts'
import { nextQuestion } from '../../../../core/compile/synthesis/questions/next-question.ts'
import { posteriorOf, type QuestionCandidate } from '../../../../core/compile/synthesis/questions/posterior.ts'
import { countUndecided } from '../../../../core/compile/synthesis/questions/undecided.ts'
import { EXACT } from '../../../../core/compile/rows/equality/equality.ts'
import type { Expr } from '../../../../core/compile/language/ast.ts'

const INPUT: Expr = { op: 'input' }

function candidate(body: Expr, cost: number): QuestionCandidate {
  return { program: { language: 'svc-recipe-1', body }, cost }
}

function splitItem(index: number): Expr {
  return { op: 'nth', list: { op: 'split', text: INPUT, by: { kind: 'literal', text: ' ' } }, index }
}

const FIRST_WORD = candidate(splitItem(0), 1)
const LAST_WORD = candidate(splitItem(-1), 1)
const SECOND_WORD = candidate(splitItem(1), 1.2)
const ROWS = [{ id: 'row_1', input: 'ann', output: 'ann' }]
const STATE = { candidates: [FIRST_WORD, LAST_WORD], rows: ROWS, asked: [], equality: EXACT }

describe('questions', () => {
  it('gives candidates of equal cost the same share, and a dearer one less', () => {
    expect(posteriorOf([FIRST_WORD, LAST_WORD])).to.deep.equal([0.5, 0.5])
    const [first = 0, second = 0] = posteriorOf([FIRST_WORD, SECOND_WORD])
    expect(first).to.be.greaterThan(second)
    expect(first + second).to.be.closeTo(1, 1e-12)
    expect(posteriorOf([])).to.deep.equal([])
  })

  it('asks the input that splits the candidates most, with the competing outputs', () => {
    const candidates = [FIRST_WORD, LAST_WORD, candidate(splitItem(-1), 0.5)]
    const question = nextQuestion({ ...STATE, candidates, unlabelled: ['bob', 'cay dee', 'cay cay'] })
    expect(question?.input).to.equal('cay dee')
    expect(question?.reason).to.equal('candidates_disagree')
    expect(question?.answers.map(({ output }) => output)).to.deep.equal(['dee', 'cay'])
  })

  it('asks about inputs without an answer of the best candidate first', () => {
    const candidates = [candidate(splitItem(1), 0), LAST_WORD]
    const question = nextQuestion({ ...STATE, candidates, unlabelled: ['cay dee eve', 'bob'] })
    expect(question).to.deep.include({ input: 'bob', reason: 'best_fails' })
    expect(question?.answers).to.have.length(1)
    expect(question?.unanswered).to.be.greaterThan(0.5)
  })

  it('asks about an answer of a new shape when the candidates agree', () => {
    const question = nextQuestion({ ...STATE, unlabelled: ['bob', '12'] })
    expect(question).to.deep.include({ input: '12', reason: 'new_shape', answers: [{ output: '12', share: 1 }] })
  })

  it('ends when the candidates agree on every input in shapes of the rows', () => {
    expect(nextQuestion({ ...STATE, unlabelled: ['bob', 'cay'] })).to.equal(null)
    expect(nextQuestion({ ...STATE, unlabelled: [] })).to.equal(null)
  })

  it('skips inputs that were asked and inputs of rows', () => {
    const state = { ...STATE, unlabelled: ['cay dee', 'eve fay'] }
    const question = nextQuestion({ ...state, asked: ['cay dee'] })
    expect(question?.input).to.equal('eve fay')
    expect(nextQuestion({ ...state, asked: ['cay dee', 'eve fay'] })).to.equal(null)
    const rows = [...ROWS, { id: 'row_2', input: 'cay dee', output: 'cay' }]
    expect(nextQuestion({ ...state, rows })?.input).to.equal('eve fay')
  })

  it('asks without any candidate', () => {
    const question = nextQuestion({ ...STATE, candidates: [], unlabelled: ['bob'] })
    expect(question).to.deep.equal({ input: 'bob', reason: 'best_fails', answers: [], unanswered: 0 })
  })

  it('takes outputs that the equality of the task joins for one answer', () => {
    const third: Expr = { op: 'literal', value: 1 / 3 }
    const candidates = [candidate(third, 1), candidate({ op: 'literal', value: 0.333333333333 }, 1)]
    const rule = { path: [], kind: 'number' as const, relative: 1e-9, absolute: 1e-9 }
    const tolerant = { spec: 'svc-equality-1' as const, rules: [rule] }
    expect(countUndecided(candidates, ['x'], tolerant, 4)).to.deep.equal({ inputs: 1, undecided: 0 })
    expect(countUndecided(candidates, ['x'], EXACT, 4)).to.deep.equal({ inputs: 1, undecided: 1 })
  })

  it('counts the inputs on which the posterior disagrees', () => {
    const count = countUndecided([FIRST_WORD, LAST_WORD], ['bob', 'cay dee', 'eve fay'], EXACT, 4)
    expect(count).to.deep.equal({ inputs: 3, undecided: 2 })
    expect(countUndecided([], ['bob'], EXACT, 4)).to.deep.equal({ inputs: 1, undecided: 1 })
  })

  it('counts every input as undecided where a lone program is too long for its rows', () => {
    const long = [candidate(splitItem(0), 20)]
    expect(countUndecided(long, ['bob'], EXACT, 4)).to.deep.equal({ inputs: 1, undecided: 1 })
    expect(countUndecided(long, ['bob'], EXACT, 12)).to.deep.equal({ inputs: 1, undecided: 0 })
  })
})

describe('answers of questions', () => {
  const unlabelled = ['a', 'b', 'c', 'd'].map((input, i) => ({ id: `unlabelled_${i + 1}`, input }))

  it('makes an answer a row, keeps a skipped input and drops an invalid one', () => {
    const next = applyAnswers(ROWS, unlabelled, [
      { kind: 'output', input: 'b', output: 'B' },
      { kind: 'skip', input: 'c' },
      { kind: 'invalid_input', input: 'd' },
    ])
    expect(next.rows).to.deep.equal([...ROWS, { id: 'answer_1', input: 'b', output: 'B' }])
    expect(next.unlabelled.map(({ input }) => input)).to.deep.equal(['a', 'c'])
    expect(next.asked).to.deep.equal(['b', 'c', 'd'])
  })

  it('gives an answer an id that no given row or input has', () => {
    const given = [...ROWS, { id: 'answer_2', input: 'x', output: 'x' }]
    const answers = [
      { kind: 'output', input: 'b', output: 'B' },
      { kind: 'skip', input: 'c' },
      { kind: 'output', input: 'd', output: 'D' },
    ] as const
    const ids = (inputs: readonly { id: string; input: string }[]) =>
      applyAnswers(given, inputs, answers).rows.map(({ id }) => id)
    expect(ids([])).to.deep.equal(['row_1', 'answer_2', 'answer_3', 'answer_5'])
    expect(ids([{ id: 'answer_10', input: 'e' }])).to.deep.equal(['row_1', 'answer_2', 'answer_11', 'answer_13'])
  })

  it('refuses an answer that contradicts a row, naming both', () => {
    const answer = { kind: 'output' as const, input: 'ann', output: 'bob' }
    expect(() => checkAnswer(ROWS, answer, 'answer_1', EXACT)).to.throw(/row_1 and answer_1/)
    expect(() => checkAnswer(ROWS, { ...answer, output: 'ann' }, 'answer_1', EXACT)).not.to.throw()
  })
})

import { expect } from 'chai'
import { codeOfProgram } from '../../../../../core/compile/runtime/code/code.ts'
import { programOf, randomCases, vectorCases } from './cases.ts'
import { comparePython, compareTypescript, typeErrors } from './printed.ts'

// `npm run bench -- printers` runs all vectors and 10,000 programs.
const cases = [...vectorCases().filter((_, at) => at % 5 === 0), ...randomCases(20_000, 40)]

describe('a program as code', () => {
  it('answers in Python as the runtime does, with examples that hold', () => {
    const { inputs, differences } = comparePython(cases)
    expect(differences).to.deep.equal([])
    expect(inputs).to.be.greaterThan(1000)
  })

  it('answers in TypeScript as the runtime does', () => {
    expect(compareTypescript(cases).differences).to.deep.equal([])
  })

  it('has types that the compiler accepts', () => {
    expect(typeErrors(cases.filter((_, at) => at % 4 === 0))).to.equal('')
  })

  it('uses the idioms of each language and only the helpers that it needs', () => {
    const program = programOf({
      op: 'concat',
      parts: [
        { op: 'field', of: { op: 'input' }, name: 'Last name' },
        { op: 'literal', value: ', ' },
        { op: 'field', of: { op: 'input' }, name: 'first' },
      ],
    })
    const facts = { task: 'Full name', inputs: [{ 'Last name': 'Lovelace', first: 'Ada' }] }
    expect(codeOfProgram(program, 'python', facts).content).to.equal(`def full_name(row: dict) -> str:
    """Full name

    Raises ValueError, LookupError or TypeError for an input without an answer.

    >>> full_name({"Last name": "Lovelace", "first": "Ada"})
    'Lovelace, Ada'
    """
    if not isinstance(row, dict):
        raise TypeError("row must be a dict")
    last_name = row["Last name"]
    if not isinstance(last_name, str):
        raise TypeError("last_name must be a str")
    first = row["first"]
    if not isinstance(first, str):
        raise TypeError("first must be a str")
    return f"{last_name}, {first}"
`)
    const { content } = codeOfProgram(program, 'typescript', facts)
    expect(content).to.include("@example\n * fullName({ 'Last name': 'Lovelace', first: 'Ada' }) // 'Lovelace, Ada'")
    expect(content).to.include('return `${lastName}, ${first}`').and.not.include('CivilDate')
  })

  it('keeps a task with quotes and line ends inside its comment', () => {
    const program = programOf({ op: 'input' })
    const task = 'Say """hi"""\n*/ and \\ more'
    expect(comparePython([{ name: 'quotes', program, inputs: ['x'] }]).differences).to.deep.equal([])
    expect(codeOfProgram(program, 'python', { task, inputs: [] }).content).to.include('\\"\\"\\"hi')
    expect(codeOfProgram(program, 'typescript', { task, inputs: [] }).content).to.include('*\\/ and')
  })
})

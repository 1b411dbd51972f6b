import { expect } from 'chai'
import { VerifierDocument } from '../../../../core/compile/archive/schemas/verifier.ts'
import { programRunner } from '../../../../core/compile/language/runner.ts'
import { parseProgram } from '../../../../core/compile/language/parse.ts'
import { explainingRunner } from '../../../../core/compile/runtime/runners/explaining-runner.ts'
import { synthesizeVerifier, withDoubt } from '../../../../core/compile/stages/verifier/synthesize-verifier.ts'
import { DomainError } from '../../../../core/kernel/errors.ts'
import type { Json } from '../../../../core/kernel/json/json.ts'
import { rowsOf } from '../rows/given-rows.ts'

const field = (name: string) => ({ op: 'field', of: { op: 'input' }, name })

describe('a program without an answer', () => {
  const rows = rowsOf(
    [2, 5, 7, 11, 16].map(
      (km, at) => [{ km, night: at % 2 === 0, extras: [at, km] }, km * (at % 2 === 0 ? 3 : 2)] as const,
    ),
  )
  const verifier = withDoubt(synthesizeVerifier(rows), 'answer')
  const body = {
    op: 'mul',
    left: field('km'),
    right: { op: 'if', cond: field('night'), then: { op: 'literal', value: 3 }, else: { op: 'literal', value: 2 } },
  }
  const runner = explainingRunner(
    programRunner(parseProgram({ language: 'svc-recipe-1', body })),
    VerifierDocument.parse(JSON.parse(JSON.stringify(verifier))),
  )
  const failure = (input: Json): DomainError => {
    try {
      runner.run(input)
    } catch (error) {
      if (error instanceof DomainError) return error
      throw error
    }
    throw new Error('the program has an answer')
  }

  it('names the members of the input that are of another type than in the examples, or missing', () => {
    const other = failure({ km: '4,5', night: true, extras: [1, 2] })
    expect(other.code).to.equal('recipe_failed')
    expect(other.message).to.equal(
      'the program has no answer: type_mismatch in mul; input.km is a text, in the examples it is a number',
    )
    expect(other.details).to.deep.include({ reason: 'type_mismatch', operator: 'mul' })
    expect(other.details?.['fields']).to.have.length(1)
    expect(failure({ km: 4, extras: [1, 2] }).message).to.include('; input.night is missing; add it as in the examples')
    expect(failure('4.5').message).to.include('; input is a text, in the examples it is an object')
    expect(failure({ km: '4', night: true, extras: ['1'] }).message).to.include('input.extras[] is a text')
  })

  it('answers as before where it has an answer, also to inputs unlike the examples', () => {
    expect(runner.run({ km: 4, night: true, extras: 'none' })).to.deep.include({ abstained: false, output: 12 })
  })
})

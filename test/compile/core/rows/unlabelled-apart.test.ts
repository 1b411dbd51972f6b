import { expect } from 'chai'
import { checkJudges } from '../../../../core/compile/archive/recompute/judges.ts'
import { SeedProvenanceDocument } from '../../../../core/compile/archive/schemas/build.ts'
import { VerifierDocument } from '../../../../core/compile/archive/schemas/verifier.ts'
import type { Example } from '../../../../core/compile/rows/intake/example.ts'
import { selectRows } from '../../../../core/compile/rows/intake/select-rows.ts'
import { taskEquality } from '../../../../core/compile/rows/equality/task-equality.ts'
import { splitBothWays } from '../../../../core/compile/rows/split/split-rows.ts'
import { synthesizeVerifier } from '../../../../core/compile/stages/verifier/synthesize-verifier.ts'

const ROWS = Array.from({ length: 30 }, (_, i) => ({
  id: `row_${i + 1}`,
  input: { text: `item ${i * 7}`, n: i },
  output: `${i * 7}`,
}))

describe('unlabelled inputs of a compile', () => {
  it('leave out inputs of rows and repeated ones, however their members are ordered', async () => {
    const inputs = [{ n: 3, text: 'item 21' }, 'other', { n: 99, text: 'x' }, { text: 'x', n: 99 }]
    async function* examples(): AsyncGenerator<Example> {
      for (const [i, input] of inputs.entries()) {
        yield { kind: 'unlabelled', unlabelled: { id: `unlabelled_${i + 1}`, input } }
      }
      for (const row of ROWS) yield await Promise.resolve({ kind: 'positive', row })
    }
    const { unlabelled } = await selectRows(examples(), { maxRows: 100 })
    expect(unlabelled.map(({ input }) => input)).to.deep.equal(['other', { n: 99, text: 'x' }])
  })

  it('are filtered alike where only the judges are made again', () => {
    const { apart } = splitBothWays(ROWS, { unlabelled: ['other'] })
    if (apart === null) throw new Error('too few rows')
    const verifier = synthesizeVerifier(apart.train.flatMap((place) => ROWS[place] ?? []))
    const build = { seed_provenance: SeedProvenanceDocument.parse(JSON.parse(JSON.stringify(apart.provenance))) }
    const stated = VerifierDocument.parse(JSON.parse(JSON.stringify(verifier)))
    const unlabelled = ['other', { n: 3, text: 'item 21' }].map((input, i) => ({ id: `unlabelled_${i + 1}`, input }))
    const judges = { equality: taskEquality(ROWS, apart), verifier: stated }
    expect(checkJudges(judges, build, { rows: ROWS, negatives: [], unlabelled }, 'held')).to.include(
      'checks made again',
    )
  })
})

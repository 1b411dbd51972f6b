import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { measureCase } from '../../../bench/small-sets/calibration/measure-case.ts'
import { createComputePool } from '../../../core/compile/stages/pool/pool.ts'
import { createCores } from '../../../core/kernel/threads/cores.ts'
import { measuredCalibration } from '../../../core/learn/evals/calibration/calibration.ts'
import { frozenCases } from '../../../core/learn/evals/calibration/cases.ts'
import { NO_TEMPORAL, useApi } from '../../support/api.ts'
import { useDatabase } from '../../support/stack/postgres.ts'

const CASES = 'core/learn/evals/calibration/cases.json'

describe('calibrations', () => {
  const database = useDatabase()
  const api = useApi({ stores: () => ({ database, temporal: NO_TEMPORAL }) })

  it('show what was measured on the frozen cases, without a key', async () => {
    const { status, body } = await api.call('GET', '/v1/eval/k-score-calibration')
    expect(status).to.equal(200)
    const { data } = body
    expect(data).to.deep.include({
      case_count: 30,
      class_counts: { classification: 8, extraction: 7, generation: 8, code: 7 },
    })
    // The measurement is of these cases, and the summary follows from its results.
    expect(data.measured.cases_sha256).to.equal(data.fixture_sha256)
    const { calibration_summary: summary, results } = data
    const composites = results.map(({ recipe }: { recipe: { composite: number } | null }) => recipe?.composite ?? 0)
    expect(results).to.have.length(30)
    expect(summary.pass).to.equal(composites.filter((k: number) => k >= 0.85).length)
    expect(summary.composite_mean).to.be.closeTo(composites.reduce((a: number, b: number) => a + b, 0) / 30, 1e-4)
    expect(summary.axis_means.A).to.include({ basis: 'measured' })
    expect(summary.axis_means.R).to.include({ basis: 'not_measured' })
    const held = results.filter(({ recipe }: { recipe: { held: boolean } | null }) => recipe?.held === true)
    expect(summary.interval_coverage).to.include({ held: held.length, test_rows: 30 * 60 })
  })

  it('come from the frozen rows: a sample of them is measured again with the same outcome', async function () {
    this.timeout(180_000)
    const { cases } = frozenCases()
    expect(createHash('sha256').update(readFileSync(CASES)).digest('hex')).to.equal(
      '22d801327b620b8400c8ede99bb604bb9165240a1f164da9e074b6718fe12b4d',
    )
    const pool = createComputePool({ threads: 1, memoryMb: 512, cores: createCores(1).short })
    try {
      for (const id of ['extraction-4', 'code-5', 'classification-7']) {
        const given = cases.cases.find((each) => each.id === id)
        const known = measuredCalibration().results.find((each) => each.id === id)
        if (given === undefined) throw new Error(`no case ${id}`)
        const { recipe } = await measureCase(pool, given)
        expect(recipe, id).to.include({
          kind: known?.recipe?.kind,
          accuracy: known?.recipe?.accuracy,
          test_right: known?.recipe?.test_right,
        })
      }
    } finally {
      await pool.close()
    }
  })

  it('keep train and test rows apart', () => {
    for (const { id, train, test } of frozenCases().cases.cases) {
      const inputs = [...train, ...test].map(({ input }) => JSON.stringify(input))
      expect(new Set(inputs).size, id).to.equal(inputs.length)
    }
  })

  it('give no figure of a judge where none was measured', async () => {
    const { body } = await api.call('GET', '/v1/eval/quality-calibration')
    expect(body.data.calibration).to.deep.include({
      ok: false,
      basis: 'not_measured',
      public_claim_ready: false,
      counts: { cases: 16, pass_gold: 8, fail_gold: 8 },
    })
    expect(body.data.calibration).not.to.have.property('metrics')
    expect(new Set(body.data.catalog.rows.map(({ task_type: type }: { task_type: string }) => type)).size).to.equal(8)
  })
})

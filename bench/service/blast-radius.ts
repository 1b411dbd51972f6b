/**
 * The blast radius among 10,000 artifacts: `node bench/service/blast-radius.ts [--artifacts N] [--changes N]`. Asks a whole service
 * for the dependency graph of changed artifacts, captures and pieces of evidence, and compares each answer with a walk over
 * all links. Limit: 200 ms at the median of whole HTTP answers.
 */
import { parseArgs } from 'node:util'
import { DependencyGraphAnswer } from '../../core/compile/wire/artifacts/lineage.ts'
import { openDatabase } from '../../db/kernel/database.ts'
import { givenJob, givenReady, givenTenant } from '../../test/support/db/given.ts'
import { givenLineage } from '../../test/support/db/given-lineage.ts'
import { randomLineage, randomSources, walkLineage } from '../../test/support/db/random-lineage.ts'
import { sendSql } from '../../test/support/db/send-sql.ts'
import { quantile, report, short } from '../harness/report.ts'
import { RAISED_LIMITS, startBenchService } from '../harness/service.ts'

const { values: options } = parseArgs({
  options: { artifacts: { type: 'string', default: '10000' }, changes: { type: 'string', default: '60' } },
})
const ARTIFACTS = Number(options.artifacts)
const CHANGES = Number(options.changes)
const LIMIT_MS = 200

const service = await startBenchService({ limits: RAISED_LIMITS })
const db = await openDatabase({ url: service.databaseUrl, poolSize: 4, masterKey: service.masterKey })
try {
  const { op, apiKey } = await givenTenant(db)
  const { job } = await givenReady(op, (await givenJob(op)).job.id)
  const copies = randomLineage(ARTIFACTS - 1, job.id)
  await givenLineage(db, job.id, copies)
  await sendSql(db, 'analyze', [])
  const ask = async (changed: readonly string[]) => {
    const startedAt = performance.now()
    const response = await fetch(`${service.apiUrl}/v1/artifacts/dependency-graph`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ changed }),
    })
    const text = await response.text()
    const ms = performance.now() - startedAt
    if (!response.ok) throw new Error(text)
    return { ms, answer: DependencyGraphAnswer.parse(JSON.parse(text)) }
  }
  await ask([job.id])
  const figures = []
  let wrong = 0
  for (const sources of randomSources(copies, CHANGES)) {
    const changed = Object.values(sources).flat()
    if (changed.length === 0) continue
    const { ms, answer } = await ask(changed)
    const expected = walkLineage(copies, sources)
    const { affected_artifacts: found } = answer.blast_radius
    if (JSON.stringify(found) !== JSON.stringify(expected)) wrong++
    figures.push({ ms, affected: expected.length })
  }
  const times = figures.map(({ ms }) => ms)
  const median = quantile(times, 0.5)
  await report('blast-radius', [
    { what: `answers that differ from the walk, of ${figures.length}`, value: wrong, limit: 0 },
    { what: `blast radius among ${ARTIFACTS} artifacts, p50 ms`, value: short(median), limit: LIMIT_MS },
    { what: 'p95 ms', value: short(quantile(times, 0.95)), limit: '' },
    { what: 'longest ms', value: short(Math.max(...times)), limit: '' },
    { what: 'affected artifacts, most', value: Math.max(...figures.map(({ affected }) => affected)), limit: '' },
  ])
  if (wrong > 0 || median > LIMIT_MS) process.exitCode = 1
} finally {
  await db.close()
  await service.stop()
}

/**
 * Recomputes archives of small compiles: genuine ones, and ones in which one quality figure, fold, answer or check was
 * changed and everything else brought in line and signed again: `node bench/compile/recompute.ts [--archives 300]`.
 * Limits: every genuine one passes, every forged one is refused.
 */
import { parseArgs } from 'node:util'
import { isRecomputed } from '../../core/compile/archive/recompute/is-recomputed.ts'
import { verifyByRecomputation } from '../../core/compile/archive/recompute/recompute.ts'
import { verifyArchive } from '../../core/compile/archive/verify.ts'
import { toJwk } from '../../core/ledger/keys/jwk.ts'
import { fixedSigningKey } from '../../test/support/archives/archives.ts'
import { compileArchive } from '../../test/support/archives/compiled.ts'
import { EVIDENCE_FORGERIES } from '../../test/support/archives/evidence-forgeries.ts'
import { openMembers } from '../../test/support/archives/forge.ts'
import { recomputeRows } from '../../test/support/archives/recompute-sets.ts'
import { quantile, report, short } from '../harness/report.ts'

const { values: options } = parseArgs({ options: { archives: { type: 'string', default: '300' } } })
const wanted = Number(options.archives)
const PINNED = { trustedKeys: [toJwk(fixedSigningKey().publicKey)] }
/** Steps of one search: enough for these tasks, and a fraction of a compile's. */
const WORK_BUDGET = 200_000

let passed = 0
let refused = 0
let deceiving = 0
const seconds: number[] = []
const sorts = new Map<string, number>()
for (let seed = 0; seconds.length < wanted; seed++) {
  // A few sets have no recipe within the steps; the next set takes their place.
  const sealed = await compileArchive(recomputeRows(seed), { floor: 0, workBudget: WORK_BUDGET }).catch(() => null)
  if (sealed === null) continue
  const startedAt = performance.now()
  const result = await verifyByRecomputation(sealed.archive, PINNED)
  seconds.push((performance.now() - startedAt) / 1000)
  if (result.ok && isRecomputed(result)) passed++
  else console.log(`genuine archive ${seed} does not pass: ${result.detail ?? JSON.stringify(result.checks.at(-1))}`)
  const { name, archive } = await forgeOne(await openMembers(sealed.archive), seed)
  sorts.set(name, (sorts.get(name) ?? 0) + 1)
  if ((await verifyArchive(archive, PINNED)).ok) deceiving++
  if ((await verifyByRecomputation(archive, PINNED)).ok) console.log(`accepted: archive ${seed}, ${name}`)
  else refused++
}

/** Forges one thing; of several sorts the first from the seed on that the archive has. */
async function forgeOne(members: Awaited<ReturnType<typeof openMembers>>, seed: number) {
  for (let step = 0; step < EVIDENCE_FORGERIES.length; step++) {
    const forgery = EVIDENCE_FORGERIES[(seed + step) % EVIDENCE_FORGERIES.length]
    const archive = await forgery?.forge(members, seed)
    if (forgery !== undefined && archive !== null && archive !== undefined) return { name: forgery.name, archive }
  }
  throw new Error('nothing to forge')
}

for (const [name, count] of sorts) console.log(`${String(count).padStart(4)}  ${name}`)
await report('recompute', [
  { what: 'genuine archives that pass', value: passed, limit: wanted },
  { what: 'forged archives that are refused', value: refused, limit: wanted },
  { what: 'forged archives that verify without recomputation', value: deceiving },
  { what: 'seconds of a recomputation, p50', value: short(quantile(seconds, 0.5)) },
  { what: 'seconds of a recomputation, p95', value: short(quantile(seconds, 0.95)) },
])
if (passed < wanted || refused < wanted) process.exitCode = 1

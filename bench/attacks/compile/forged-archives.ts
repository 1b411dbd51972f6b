/**
 * Forges a signed archive of the service leaf by leaf: each fact of each JSON member is changed, everything that can be
 * brought in line is, and the archive is signed again with a key that the verifier pins. Only the meaning can give the
 * forgery away. Facts that docs/formats/svc-format.md calls attested may survive.
 */
import { Pool } from 'undici'
import { z } from 'zod'
import { verifyByRecomputation } from '../../../core/compile/archive/recompute/recompute.ts'
import { attestedFacts, isAttested } from '../../../test/support/archives/attested.ts'
import { forge, openMembers, type Members } from '../../../test/support/archives/forge.ts'
import { walkLeaves, type Walk } from '../../../test/support/archives/leaf-walk.ts'
import { signUpClient } from '../../harness/client.ts'
import type { Attack, AttackFigure } from '../attack.ts'

const Accepted = z.object({ job_id: z.string(), status: z.string() })

/** A walk ends after so long, also on a busy machine. */
const WITHIN_MS = 18_000

/** Every leaf of a small archive whose rows are folds, and each n-th of a larger one with five folds. */
const TASKS = [
  { rows: 6, every: 1, recompute: false },
  { rows: 20, every: 4, recompute: false },
  { rows: 20, every: 7, recompute: true },
] as const

export const forgedArchives: Attack = {
  name: 'forged-archives',
  async run(service) {
    const attested = await attestedFacts()
    const client = await signUpClient(service.apiUrl)
    const walks: Walk[] = []
    try {
      for (const { rows, every, recompute } of TASKS) {
        const members = await compiledMembers(service.apiUrl, client.key, rows)
        const own = await verifyByRecomputation(await forge(members, { changes: {}, isThorough: true }))
        if (!own.ok) throw new Error(`the archive does not verify before it is forged: ${own.detail}`)
        walks.push(await walkLeaves(members, { sampled: every, recompute, withinMs: WITHIN_MS }))
      }
    } finally {
      await client.close()
    }
    const survivors = walks.flatMap((walk) => walk.survivors)
    const derivable = survivors.filter(({ leaf }) => !isAttested(leaf, attested))
    for (const { leaf, change } of derivable) console.log(`accepted: ${leaf} (${change})`)
    const sum = (value: (walk: Walk) => number): number => walks.reduce((total, walk) => total + value(walk), 0)
    return [
      figure('forgeries of derivable facts accepted', derivable.length, 0, 'at-most'),
      figure(
        'forgeries tried',
        sum(({ forgeries }) => forgeries),
        500,
        'at-least',
      ),
      figure(
        'leaves changed',
        sum(({ leaves }) => leaves),
        100,
        'at-least',
      ),
    ]
  },
}

function figure(what: string, value: number, limit: number, bound: AttackFigure['bound']): AttackFigure {
  return { what, value, limit, bound }
}

/** Compiles item numbers out of texts, and answers the members of the signed archive. */
async function compiledMembers(apiUrl: string, key: string, count: number): Promise<Members> {
  const pool = new Pool(apiUrl, { connections: 1 })
  const headers = { 'x-api-key': key }
  const examples = Array.from({ length: count }, (_, i) => ({ input: `item ${i * 7}, box`, output: `${i * 7}` }))
  const spec = { task: 'Take the number of the item', examples, k_score_floor: 0.1 }
  try {
    const submitted = await pool.request({
      method: 'POST',
      path: '/v1/compile',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(spec),
    })
    const { job_id: jobId } = Accepted.parse(await submitted.body.json())
    const answer = await pool.request({ method: 'GET', path: `/v1/compile/${jobId}/.svc`, headers })
    if (answer.statusCode !== 200) throw new Error(`the compile of ${count} rows ended ${await answer.body.text()}`)
    return await openMembers(new Uint8Array(await answer.body.arrayBuffer()))
  } finally {
    await pool.close()
  }
}

/**
 * Attacks a service of its own, one attack after the other: `node bench/attacks.ts [name ...]`. Each attack ends with its
 * figures; the exit code is 1 when one exceeds its limit, and when all of them take more than ten minutes.
 */
import type { Attack } from './attacks/attack.ts'
import { ATTACKS } from './attacks/index.ts'
import { report, short } from './harness/report.ts'
import { startBenchService } from './harness/service.ts'
import { startSurroundings } from './harness/surroundings.ts'

const MOST_SECONDS = 600
const startedAt = performance.now()
const names = process.argv.slice(2)
const unknown = names.filter((name) => !ATTACKS.some((attack) => attack.name === name))
if (unknown.length > 0)
  throw new Error(`no attack ${unknown.join(', ')}: ${ATTACKS.map(({ name }) => name).join(', ')}`)

const rows: Record<string, string | number>[] = []
const attacks = ATTACKS.filter(({ name }) => names.length === 0 || names.includes(name))
const limitsOf = ({ limits }: Pick<Attack, 'limits'>) => ({ signups_per_ip_day: 1e6, anon_per_ip_day: 1e6, ...limits })
const surroundings = await startSurroundings()
const { env } = surroundings
let inForce = limitsOf(attacks[0] ?? {})
const service = await startBenchService({ limits: inForce, env })
try {
  for (const attack of attacks) {
    console.log(attack.name)
    const begunAt = performance.now()
    const limits = limitsOf(attack)
    if (JSON.stringify(limits) !== JSON.stringify(inForce)) await service.restart({ limits, env })
    inForce = limits
    const figures = await attack.run(service, surroundings)
    const seconds = short((performance.now() - begunAt) / 1000)
    for (const { what, value, limit, bound } of figures) {
      const holds = bound === 'at-most' ? value <= limit : value >= limit
      if (!holds) process.exitCode = 1
      rows.push({ attack: attack.name, what, value: short(value), bound, limit, holds: holds ? 'yes' : 'NO', seconds })
    }
  }
} finally {
  await service.stop()
  await surroundings.close()
}
const total = (performance.now() - startedAt) / 1000
if (total > MOST_SECONDS) process.exitCode = 1
rows.push({
  attack: 'all',
  what: 'seconds',
  value: short(total),
  bound: 'at-most',
  limit: MOST_SECONDS,
  holds: total > MOST_SECONDS ? 'NO' : 'yes',
  seconds: short(total),
})
await report('attacks', rows)

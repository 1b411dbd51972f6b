/**
 * Attacks a service of its own, one attack after the other: `node bench/attacks.ts [name ...]`. Each attack ends with its
 * figures; the exit code is 1 when one exceeds its limit.
 */
import { ATTACKS } from './attacks/index.ts'
import { report, short } from './harness/report.ts'
import { startBenchService } from './harness/service.ts'

const names = process.argv.slice(2)
const unknown = names.filter((name) => !ATTACKS.some((attack) => attack.name === name))
if (unknown.length > 0)
  throw new Error(`no attack ${unknown.join(', ')}: ${ATTACKS.map(({ name }) => name).join(', ')}`)

const rows: Record<string, string | number>[] = []
const service = await startBenchService({ limits: { signups_per_ip_day: 1e6, anon_per_ip_day: 1e6 } })
try {
  for (const attack of ATTACKS.filter(({ name }) => names.length === 0 || names.includes(name))) {
    console.log(attack.name)
    const startedAt = performance.now()
    const figures = await attack.run(service)
    const seconds = short((performance.now() - startedAt) / 1000)
    for (const { what, value, limit, bound } of figures) {
      const holds = bound === 'at-most' ? value <= limit : value >= limit
      if (!holds) process.exitCode = 1
      rows.push({ attack: attack.name, what, value: short(value), bound, limit, holds: holds ? 'yes' : 'NO', seconds })
    }
  }
} finally {
  await service.stop()
}
await report('attacks', rows)

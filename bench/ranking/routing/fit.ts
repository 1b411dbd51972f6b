/**
 * Fits the weights of `core/compile/runtime/routing/weights.json` on half of the tasks of bench/tasks and prints how they do on
 * that half: `npm run fit-routing -- [--write]`. The other half is left to `npm run bench -- compose`.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import {
  INPUT_SIGNALS,
  OPEN_SIGNALS,
  QUERY_SIGNALS,
  signalsOf,
} from '../../../core/compile/runtime/routing/evidence.ts'
import { openRouter } from '../../../core/compile/runtime/routing/route-call.ts'
import { drawWorld, routingTasks } from './calls.ts'
import { fitLogistic } from './fit-logistic.ts'
import { countRoutes, printRoutes } from './count-routes.ts'

const FILE = fileURLToPath(new URL('../../../core/compile/runtime/routing/weights.json', import.meta.url))
/** Numbers of concepts that tenants of the fit have, in turn. */
const SIZES = [8, 25, 50, 50]
const WORLDS = 24

const { values: flags } = parseArgs({ options: { write: { type: 'boolean', default: false } } })
const tasks = routingTasks('fit')
const worlds = Array.from({ length: WORLDS }, (_, at) => drawWorld(tasks, SIZES[at % SIZES.length] ?? 50, 100 + at))
const asked = { signals: new Array<readonly number[]>(), isTrue: new Array<boolean>() }
const open = { signals: new Array<readonly number[]>(), isTrue: new Array<boolean>() }
for (const { concepts, calls } of worlds) {
  const router = await openRouter(concepts)
  for (const call of calls) {
    const evidence = router.evidence(call)
    const isAsked = evidence.some(({ query }) => query.coverage > 0)
    for (const [place, signals] of signalsOf(evidence).entries()) {
      if (signals === null) continue
      const rows = isAsked ? asked : open
      rows.signals.push(isAsked ? [...signals.input, ...signals.query] : [...signals.input, ...signals.open])
      rows.isTrue.push(place === call.own)
    }
  }
}
const weights = { asked: fitLogistic(asked), open: fitLogistic(open) }
for (const [kind, names] of [
  ['asked', [...INPUT_SIGNALS, ...QUERY_SIGNALS]],
  ['open', [...INPUT_SIGNALS, ...OPEN_SIGNALS]],
] as const) {
  console.log(kind)
  for (const [at, name] of names.entries()) console.log(`  ${name.padEnd(24)} ${String(weights[kind][at]).padStart(9)}`)
}
printRoutes(await countRoutes(tasks, { count: 50, seeds: [1, 2, 3], weights }))
if (flags.write) writeFileSync(FILE, `${JSON.stringify(weights, null, 2)}\n`)

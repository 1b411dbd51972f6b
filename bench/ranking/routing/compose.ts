/**
 * Routing of compositions: `node bench/ranking/routing/compose.ts [--worlds N]`. Of the half of the tasks of bench/tasks that the
 * weights were not fitted on, 50 are concepts, known by two thirds of their inputs, and as many others are foreign; each
 * world is another draw. Limits, in inputs of all forms: 95 % of the own inputs reach their concept and 95 % of the foreign ones
 * are refused, both under the query of a caller; the median of routing is at most 5 ms. Shown beside, without a limit: a query
 * about nothing, which leaves the input alone, and a foreign one that has no word but those of a concept.
 */
import { parseArgs } from 'node:util'
import { quantile, report, short } from '../../harness/report.ts'
import { routingTasks } from './calls.ts'
import { countRoutes, printRoutes } from './count-routes.ts'

const { values } = parseArgs({ options: { worlds: { type: 'string' } } })
const CONCEPTS = 50
const seeds = Array.from({ length: Number(values.worlds ?? 5) }, (_, at) => 9001 + at)
const results = await countRoutes(routingTasks('report'), { count: CONCEPTS, seeds })
printRoutes(results)
const { counts, durationsMs } = results
const p50Ms = quantile(durationsMs, 0.5)
await report('compose', [
  ...counts.flatMap(({ kind, apart, shared }) => [
    { calls_of: kind, form: 'its own', ...apart },
    { calls_of: kind, form: 'of others too', ...shared },
  ]),
  { calls_of: 'p50 of routing, ms', form: '', calls: durationsMs.length, first: short(p50Ms) },
])
const isMet = counts
  .filter(({ kind }) => kind.endsWith('query'))
  .every(({ kind, apart, shared }) => {
    const hits = kind.startsWith('own') ? apart.reached + shared.reached : apart.refused + shared.refused
    return hits >= 0.95 * (apart.calls + shared.calls)
  })
if (!isMet || p50Ms > 5) process.exitCode = 1

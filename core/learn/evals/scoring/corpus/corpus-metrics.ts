import type { CorpusMetricName } from '../metric-names.ts'
import { bleu } from './bleu.ts'
import { chrf } from './chrf.ts'
import type { CorpusMetric } from './corpus-metric.ts'
import { ter } from './ter.ts'

const CORPUS_METRICS: Readonly<Record<CorpusMetricName, CorpusMetric>> = {
  bleu,
  chrf: chrf({ wordOrder: 0 }),
  'chrf++': chrf({ wordOrder: 2 }),
  ter,
}

/** Returns true for the name of a metric of a corpus. */
export function isCorpusMetric(name: string): name is CorpusMetricName {
  return Object.hasOwn(CORPUS_METRICS, name)
}

/** Returns a metric by its name. */
export function corpusMetric(name: CorpusMetricName): CorpusMetric {
  return CORPUS_METRICS[name]
}

/**
 * Measures the search for sensitive text: `npm run bench -- redaction`. Precision and recall by class on drawn strings,
 * megabytes of text per second of processor time, and the slowest of the texts that are as bad as can be.
 */
import { scanText } from '../../core/gateway/privacy/scan/scan-text.ts'
import { quantile, report, short } from '../harness/report.ts'
import { adversarialTexts, drawSamples, drawText, SAMPLE_TERMS, scoreSamples } from './redaction/measure-redaction.ts'

const STRINGS = 2000
const TEXT_CHARS = 16_000_000
const ADVERSARIAL_CHARS = 200_000
const ROUNDS = 5
const SEED = 20_261_123

/**
 * Megabytes of a text that are scanned in a second of processor time, the median of some rounds: other programs of the
 * machine and the compilation of the code do not count.
 */
function throughput(text: string, rounds = ROUNDS): number {
  const speeds = Array.from({ length: rounds }, () => {
    const before = process.cpuUsage().user
    scanText(text, SAMPLE_TERMS)
    return text.length / (process.cpuUsage().user - before)
  })
  return quantile(speeds, 0.5)
}

const scores = scoreSamples(drawSamples(STRINGS, SEED))
throughput(drawText(TEXT_CHARS, 50, SEED))
const texts = [0, 20, 100].map((perThousand) => ({
  name: `text, ${perThousand} of 1,000 sentences with a value`,
  speed: throughput(drawText(TEXT_CHARS, perThousand, SEED)),
}))
const worst = adversarialTexts(ADVERSARIAL_CHARS)
  .map((text) => ({ name: JSON.stringify(text.slice(0, 20)), speed: throughput(text, 1) }))
  .toSorted((one, two) => one.speed - two.speed)
  .slice(0, 6)

await report(
  'redaction',
  scores.map(({ kind, recall, precision }) => ({
    kind,
    strings: STRINGS,
    recall: recall.toFixed(4),
    precision: precision.toFixed(4),
  })),
)
await report(
  'redaction-speed',
  [...texts, ...worst].map(({ name, speed }) => ({ text: name, 'MB/s': short(speed) })),
)

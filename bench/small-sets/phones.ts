import type { Random } from '../../core/model/random.ts'
import { digits, drawnTask, happens, oneOf, type DrawnTask } from './drawn-task.ts'

const bare = (random: Random): string => digits(random, 10)
const written = (random: Random): string => {
  const number = bare(random)
  const [area, middle, end] = [number.slice(0, 3), number.slice(3, 6), number.slice(6)]
  return oneOf(random, [`(${area}) ${middle}-${end}`, `${area}-${middle}-${end}`, `${area}.${middle}.${end}`])
}
const digitsOf = (text: string): string => text.replace(/\D/g, '')

/** Phone numbers and other codes of digits. */
export const phoneTasks: readonly DrawnTask[] = [
  drawnTask('phones', 'ten digits with marks', bare, (p) => `(${p.slice(0, 3)}) ${p.slice(3, 6)}-${p.slice(6)}`),
  drawnTask('phones', 'three forms to digits', written, digitsOf),
  drawnTask('phones', 'three forms to one', written, (p) => {
    const all = digitsOf(p)
    return `+1 ${all.slice(0, 3)} ${all.slice(3, 6)} ${all.slice(6)}`
  }),
  drawnTask('phones', 'area code', written, (p) => digitsOf(p).slice(0, 3)),
  drawnTask('phones', 'masked', written, (p) => `***-***-${digitsOf(p).slice(-4)}`),
  drawnTask(
    'phones',
    'country of a number',
    (r) => `+${oneOf(r, ['44', '49', '33', '351'])} ${digits(r, 3)} ${digits(r, 6)}`,
    (p) => {
      const names: Readonly<Record<string, string>> = {
        '+44': 'UK',
        '+49': 'Germany',
        '+33': 'France',
        '+351': 'Portugal',
      }
      return names[p.split(' ')[0] ?? ''] ?? ''
    },
  ),
  drawnTask(
    'phones',
    'with or without an extension',
    (r) => {
      const number = `${digits(r, 3)}-${digits(r, 4)}`
      return happens(r, 40) ? `${number} x${digits(r, 2)}` : number
    },
    (p) => (p.includes(' x') ? (p.split(' x')[1] ?? '') : ''),
  ),
  drawnTask(
    'phones',
    'card number in groups',
    (r) => `${digits(r, 8)}${digits(r, 8)}`,
    (c) => `**** **** **** ${c.slice(-4)}`,
  ),
]

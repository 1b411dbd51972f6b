import { message, review } from '../language/messages.ts'
import { cardinal, ordinal } from '../language/numbers.ts'
import { sentence } from '../language/sentences.ts'
import type { Random } from '../random.ts'
import { MONTHS, WEEKDAYS } from '../words/common.ts'
import { GIVEN_NAMES, JOBS } from '../words/people.ts'
import { CITIES, COUNTRIES } from '../words/places.ts'
import { KINDS, OPPOSITES } from '../words/things.ts'

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)

function facts(random: Random): string {
  const [kind, members] = random.pick(Object.entries(KINDS))
  const [a, b] = random.pick(OPPOSITES)
  const [country, adjective, code] = random.pick(COUNTRIES)
  const n = random.below(200)
  return random.pick([
    `${random.sample(members, 3).join(', ')}: each is a kind of ${kind}.`,
    `The opposite of ${a} is ${b}, and the opposite of ${b} is ${a}.`,
    `People from ${country} are ${adjective}; the code is ${code}.`,
    `${n} is written ${cardinal(n)}, and after it comes ${n + 1}.`,
    `Number ${n + 1} in a row is the ${ordinal(n + 1)}.`,
    `${WEEKDAYS.join(', ')}.`,
    `${MONTHS.join(', ')}.`,
  ])
}

function talk(random: Random): string {
  const [a, b] = random.sample(GIVEN_NAMES, 2)
  return times(random.between(1, 3), () => `${a}: ${sentence(random)}\n${b}: ${sentence(random)}`).join('\n')
}

function portrait(random: Random): string {
  const name = random.pick(GIVEN_NAMES)
  return `${name} is a ${random.pick(JOBS)} from ${random.pick(CITIES)}. ${times(random.between(1, 3), () => sentence(random)).join(' ')} ${name} is ${random.between(18, 90)} years old.`
}

/** A passage of plain text: a story of a few sentences, a dialogue, messages, reviews, or facts about words. */
export function passage(random: Random): string {
  switch (random.below(6)) {
    case 0:
      return times(random.between(2, 5), () => sentence(random)).join(' ')
    case 1:
      return talk(random)
    case 2:
      return times(random.between(1, 3), () => message(random).text).join('\n')
    case 3:
      return times(random.between(2, 4), () => review(random).text).join('. ')
    case 4:
      return portrait(random)
    default:
      return times(random.between(1, 4), () => facts(random)).join(' ')
  }
}

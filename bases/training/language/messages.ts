import type { Random } from '../random.ts'
import { GIVEN_NAMES } from '../words/people.ts'
import { CITIES, COUNTRIES } from '../words/places.ts'
import { PRODUCTS } from '../words/things.ts'
import { MONTHS, WEEKDAYS } from '../words/common.ts'
import { phrases } from '../words/split.ts'
import { digits, identifier } from './noise.ts'

/** A customer's message and its intent. */
export interface Message {
  readonly text: string
  readonly intent: string
  readonly product: string
  readonly order: string
  readonly amount: string
  readonly city: string
  readonly name: string
  readonly day: string
}

/**
 * Customers' messages by intent. Braces name fields: {product}, {order}, {amount}, {city}, {name}, {day}, {country}.
 */
const TEMPLATES: Readonly<Record<string, readonly string[]>> = {
  'track order': phrases(`
    where is my order {order}?, has order {order} been shipped yet?, my {product} has not arrived and it was due {day},
    can you tell me when the {product} will get to {city}?, I am still waiting for order {order}, any news on my parcel?,
    the tracking page for {order} shows nothing, how long does delivery to {city} take?`),
  'cancel order': phrases(`
    please cancel order {order}, I want to cancel the {product} I ordered on {day}, I no longer need the {product},
    can you stop order {order} before it ships?, I ordered the {product} by mistake and want to cancel it`),
  refund: phrases(`
    I want my money back for the {product}, please refund {amount} for order {order}, when will I get my refund of {amount}?,
    I returned the {product} on {day} but the {amount} is not back yet, how do I ask for a refund?,
    I was promised a refund for {order} and got nothing`),
  'damaged item': phrases(`
    the {product} arrived broken, my {product} stopped working after two days, the {product} from order {order} has a crack,
    there is a scratch on the new {product}, the {product} does not turn on, the box of {order} was open and the {product} was damaged`),
  'wrong item': phrases(`
    I got a {product} but I ordered something else, you sent the wrong size of {product}, order {order} had the wrong colour,
    this is not the {product} that I paid for, the parcel {order} is for somebody else`),
  'change address': phrases(`
    I moved to {city} and need to update my address, please send order {order} to my new flat in {city},
    can I change the delivery address of {order}?, my address is wrong - it should be {city}`),
  'payment failed': phrases(`
    my payment of {amount} was declined, the card was refused when I paid for the {product}, why did my payment not go through?,
    I tried three times to pay {amount} and it failed, checkout says my card is not valid`),
  'charged twice': phrases(`
    I was charged twice for order {order}, you took {amount} two times, there are two charges of {amount} on my statement,
    my card shows a double payment for the {product}, I see {amount} again and I only bought it once`),
  'unknown charge': phrases(`
    there is a charge of {amount} that I do not know, I did not make the payment on {day}, what is this {amount} from {city}?,
    I see a cash withdrawal in {city} that was not me, someone used my card for {amount}`),
  'lost card': phrases(`
    I lost my card in {city}, my card was stolen on {day}, please block my card, I cannot find my bank card,
    I left my card in a shop in {city}`),
  'new card': phrases(`
    my new card has not come, when will my card be delivered?, how do I activate my card?, I need a replacement card,
    my card expires next month - do I get a new one?, can I have a second card for my wife?`),
  'reset password': phrases(`
    I forgot my password, I cannot log in to my account, the reset link does not work, my account is locked,
    how do I change my password?, the app says my passcode is wrong`),
  transfer: phrases(`
    how do I send {amount} to {name}?, my transfer of {amount} to {name} is still pending, the transfer on {day} did not arrive,
    I want to send money to {country}, I sent {amount} to the wrong person, can I cancel the transfer to {name}?`),
  'top up': phrases(`
    how can I add money to my account?, my top up of {amount} is not there, can I top up with a card?,
    I added {amount} on {day} and the balance did not change, is there a limit for topping up?`),
  'exchange rate': phrases(`
    what is the exchange rate for euros?, the rate on my payment in {country} is wrong, do you charge for currency exchange?,
    how much is {amount} in dollars?, why was the rate so bad on {day}?`),
  fees: phrases(`
    why was I charged a fee of {amount}?, what does a transfer to {country} cost?, is there a fee for cash withdrawals?,
    you took a fee when I paid in {city}, are there monthly fees?`),
  'close account': phrases(`
    I want to close my account, please delete my account and my data, how do I leave your service?, remove my profile please`),
  'opening hours': phrases(`
    are you open on {day}?, what time does the shop in {city} close?, when do you open in {city}?, what are your hours on {day}?`),
  'book table': phrases(`
    I would like a table for four on {day}, can we book a table in {city} for {day}?, do you have a table free on {day}?,
    please reserve a table under the name {name}`),
  complaint: phrases(`
    your service is terrible, nobody answers the phone, I have waited for an hour and nobody helped me,
    the man in your {city} shop was rude, I am very unhappy with the {product}, this is the worst company I know`),
  praise: phrases(`
    thank you for the quick help, {name} in your team was great, I love my new {product}, everything went well with {order},
    the best shop in {city}, great service and a fair price`),
  'price question': phrases(`
    how much is the {product}?, is the {product} on sale?, do you have a discount for the {product}?,
    what does it cost to send a {product} to {city}?, why is the {product} now {amount}?`),
  'stock question': phrases(`
    is the {product} in stock?, when will the {product} be back?, do you still sell the {product}?,
    can I buy the {product} in {city}?, how many of the {product} do you have?`),
  'speak to human': phrases(`
    I want to talk to a person, can someone call me?, please connect me to an agent, is there a number I can call?,
    let me speak to {name}`),
}

/** All intents of customer messages. */
export const INTENTS: readonly string[] = Object.keys(TEMPLATES)

const OPENINGS = phrases(`hi, hello, hey, hi there, good morning, dear team, hello {name}, hi {name}`)
const CLOSINGS = phrases(
  `thanks, thank you, please help, please reply soon, regards {name}, best wishes {name}, asap please`,
)

/** An amount of money as people write it. */
export function amountText(random: Random): string {
  const whole = random.chance(0.5) ? random.between(2, 99) : random.between(100, 2000)
  const cents = random.chance(0.5) ? `.${digits(random, 2)}` : ''
  return random.pick([
    `$${whole}${cents}`,
    `£${whole}${cents}`,
    `€${whole}${cents}`,
    `${whole}${cents} euros`,
    `${whole} dollars`,
  ])
}

/** A random message of a customer, of a given intent or any. */
export function message(random: Random, intent = random.pick(INTENTS)): Message {
  const fields = {
    product: random.pick(PRODUCTS),
    order: identifier(random),
    amount: amountText(random),
    city: random.pick(CITIES),
    name: random.pick(GIVEN_NAMES),
    day: random.chance(0.6) ? random.pick(WEEKDAYS) : `${random.pick(MONTHS)} ${random.between(1, 28)}`,
    country: random.pick(COUNTRIES)[0],
  }
  const opening = random.chance(0.3) ? `${random.pick(OPENINGS)}, ` : ''
  const closing = random.chance(0.25) ? `, ${random.pick(CLOSINGS)}` : ''
  const body = random.pick(TEMPLATES[intent] ?? [])
  const text = `${opening}${body}${closing}`.replaceAll(/\{(\w+)\}/g, (_, field: string) =>
    Object.hasOwn(fields, field) ? (Object.entries(fields).find(([key]) => key === field)?.[1] ?? '') : '',
  )
  const has = (field: string): boolean => body.includes(`{${field}}`)
  return {
    text,
    intent,
    product: has('product') ? fields.product : '',
    order: has('order') ? fields.order : '',
    amount: has('amount') ? fields.amount : '',
    city: has('city') ? fields.city : '',
    name: has('name') ? fields.name : '',
    day: has('day') ? fields.day : '',
  }
}

const GOOD = phrases(`
  great, excellent, lovely, wonderful, perfect, very good, fantastic, amazing, superb, better than expected, worth every penny,
  delicious, friendly, fast, comfortable, beautiful, easy to use, reliable`)
const BAD = phrases(`
  awful, terrible, horrible, disappointing, very bad, poor, a waste of money, worse than expected, slow, rude, dirty, broken,
  boring, useless, cold, noisy, overpriced, too small, full of faults`)
const SUBJECTS = phrases(`
  the food, the service, the room, the film, the book, the hotel, the staff, the delivery, the screen, the battery, the sound,
  the price, the view, the location, the support, this product, the quality, the app, the game, the show, the music, the bed`)

/** A short review and whether it is positive. */
export function review(random: Random): { readonly text: string; readonly positive: boolean } {
  const positive = random.chance(0.5)
  const say = (): string => {
    const subject = random.pick(SUBJECTS)
    const straight = random.chance(0.8)
    const quality = random.pick(straight === positive ? GOOD : BAD)
    return straight
      ? `${subject} was ${random.chance(0.3) ? 'really ' : ''}${quality}`
      : `${subject} was not ${quality}`
  }
  const frames = positive
    ? ['{}', '{}', 'I loved it, {}', '{}, would buy again', 'so happy with it, {}', '{}, thank you', '{} and {}']
    : ['{}', '{}', 'I hated it, {}', '{}, never again', 'do not buy this, {}', '{}, I want my money back', '{} and {}']
  return { text: random.pick(frames).replaceAll('{}', say), positive }
}

import type { Random } from '../../core/model/random.ts'
import { between, digits, happens, oneOf } from '../small-sets/drawn-task.ts'
import { CITIES, FIRMS, ITEMS, STREETS } from '../small-sets/words.ts'
import {
  contact,
  type Document,
  documentTask,
  hex,
  mailDate,
  money,
  paragraph,
  sentence,
  some,
} from './document-task.ts'

interface Mail {
  readonly from: string
  readonly name: string
  readonly to: string
  readonly date: string
  readonly subject: string
}

function subjectOf(random: Random): string {
  return oneOf(random, [
    `Offer for ${between(random, 2, 90)} ${oneOf(random, ITEMS)}s`,
    `Re: delivery to ${oneOf(random, CITIES)}`,
    `Question about ${oneOf(random, ITEMS)} ${digits(random, 4)}`,
    `Meeting: ${oneOf(random, ITEMS)} and ${oneOf(random, ITEMS)}`,
    `Fwd: invoice ${digits(random, 6)} (${oneOf(random, FIRMS)})`,
  ])
}

function headers(random: Random, mail: Mail): string[] {
  return [
    `From: ${mail.name} <${mail.from}>`,
    `To: ${mail.to}`,
    ...(happens(random, 40) ? [`Cc: ${contact(random).address}, ${contact(random).address}`] : []),
    `Date: ${mail.date}`,
    `Message-ID: <${hex(random, 16)}@${oneOf(random, FIRMS)}.net>`,
    ...(happens(random, 50) ? [`In-Reply-To: <${hex(random, 16)}@${oneOf(random, FIRMS)}.net>`] : []),
    `Subject: ${mail.subject}`,
    'Content-Type: text/plain; charset=utf-8',
  ]
}

function drawMail(random: Random): Mail {
  const { name, address } = contact(random)
  return { from: address, name, to: contact(random).address, date: mailDate(random), subject: subjectOf(random) }
}

function body(random: Random): string {
  const sender = contact(random)
  const parts = some(random, 2, 14, () => paragraph(random))
  return [`Hello ${contact(random).first},`, ...parts, `Best regards\n${sender.name}\n${oneOf(random, CITIES)}`].join(
    '\n\n',
  )
}

function mailbox(random: Random): Document<readonly Mail[]> {
  const facts = some(random, 8, 90, () => drawMail(random))
  const text = facts
    .map(
      (mail) => `From ${mail.from} ${mail.date.slice(5, 16)}\n${headers(random, mail).join('\n')}\n\n${body(random)}\n`,
    )
    .join('\n')
  return { text, facts }
}

interface Order {
  readonly mail: Mail
  readonly number: string
  readonly customer: string
  readonly address: string
  readonly amount: string
  readonly phone: string | null
  readonly link: string
}

function orderMail(random: Random): Document<Order> {
  const mail = drawMail(random)
  const number = `${oneOf(random, ['WX', 'KB', 'TT'])}-${digits(random, 7)}`
  const customer = contact(random)
  const address = [
    customer.name,
    ...(happens(random, 40) ? [`c/o ${contact(random).name}`] : []),
    `${between(random, 1, 200)} ${oneOf(random, STREETS)}`,
    `${digits(random, 5)} ${oneOf(random, CITIES)}`,
  ].join('\n')
  const amount = money(random)
  const phone = happens(random, 60) ? `+${digits(random, 2)} ${digits(random, 3)} ${digits(random, 6)}` : null
  const link = `https://mail.${oneOf(random, FIRMS)}.com/unsubscribe?u=${hex(random, 10)}`
  const text = [
    headers(random, mail).join('\n'),
    `Dear ${customer.first},`,
    ...some(random, 3, 40, () => paragraph(random)),
    `We have received your order. Here are its details.`,
    `Order number: ${number}\nCustomer: ${customer.name}\n${phone === null ? '' : `Phone: ${phone}\n`}Amount: ${amount} EUR`,
    `Ship to:\n${address}`,
    `Read more at https://www.${oneOf(random, FIRMS)}.com/help?topic=${digits(random, 3)} or write to us.`,
    ...some(random, 10, 80, () => paragraph(random)),
    `To stop these mails, open ${link} in your browser.`,
    `-- \n${mail.name}\n${sentence(random)}`,
  ].join('\n\n')
  return { text, facts: { mail, number, customer: customer.name, address, amount, phone, link } }
}

interface Thread {
  readonly first: string
  readonly writers: readonly string[]
}

function thread(random: Random): Document<Thread> {
  const writers = some(random, 3, 12, () => contact(random))
  let text = body(random)
  for (const [at, writer] of writers.entries()) {
    const quoted = text.split('\n').map((line) => `>${line.startsWith('>') ? '' : ' '}${line}`)
    const wrote = `On ${mailDate(random)}, ${writer.name} <${writer.address}> wrote:`
    text = at === writers.length ? text : `${body(random)}\n\n${wrote}\n${quoted.join('\n')}`
  }
  return {
    text: `${headers(random, drawMail(random)).join('\n')}\n\n${text}\n`,
    facts: { first: writers[0]?.name ?? '', writers: writers.map(({ address }) => address).toReversed() },
  }
}

/** Facts out of mails. */
export const MAILS = [
  documentTask('mails', 'addresses of all senders', mailbox, (mails) => mails.map(({ from }) => from)),
  documentTask('mails', 'subject of the last mail', mailbox, (mails) => mails.at(-1)?.subject ?? ''),
  documentTask('mails', 'mails with sender and subject', mailbox, (mails) =>
    mails.map(({ name, date, subject }) => ({ name, date, subject })),
  ),
  documentTask('mails', 'number of an order', orderMail, ({ number }) => number),
  documentTask('mails', 'address of a delivery', orderMail, ({ address }) => address),
  documentTask('mails', 'order with its customer', orderMail, ({ mail, number, customer, phone, amount }) => ({
    sender: mail.from,
    number,
    customer,
    phone,
    amount,
  })),
  documentTask('mails', 'link that unsubscribes', orderMail, ({ link }) => link),
  documentTask('mails', 'who wrote in a thread', thread, ({ writers }) => writers),
]

import type { Template } from './template.ts'

const QUEUES = {
  billing: [
    'The invoice for {when} shows the wrong amount',
    'Please send me the invoice for {when} again',
    'I was charged twice on my card in {when}',
    'When will the refund for {when} be paid',
    'The payment in {when} was declined by my bank',
    'My invoice for {when} lacks our tax number',
  ],
  login: [
    'I forgot my password in {when}',
    'The password reset mail from {when} never came',
    'My account has been locked since {when}',
    'I cannot log in with the password I set in {when}',
    'The sign in code from {when} does not work',
    'My account asks for a password that I changed in {when}',
  ],
  shipping: [
    'Where is the parcel that I ordered in {when}',
    'The parcel from {when} arrived with a broken corner',
    'Tracking says my delivery left in {when}',
    'My delivery for {when} went to the wrong street',
    'Can the parcel be delivered in {when}',
    'The courier lost my parcel in {when}',
  ],
} as const

const WHEN = ['March', 'early April', 'the first week of May', 'June'] as const

/** 72 made-up messages, the queues in turn. */
const examples = Object.entries(QUEUES).flatMap(([queue, sentences]) =>
  sentences.flatMap((sentence) => WHEN.map((when) => ({ input: sentence.replace('{when}', when), output: queue }))),
)

export const SUPPORT_QUEUES: Template = {
  id: 'support-message-router',
  name: 'Support messages to queues',
  description: 'Messages of customers are sorted to the queue that answers them.',
  task: 'Route a customer message to one of the queues: billing, login, shipping',
  keywords: [
    'support',
    'message',
    'customer',
    'ticket',
    'route',
    'queue',
    'classify',
    'label',
    'intent',
    'category',
    'sort',
  ],
  examples,
}

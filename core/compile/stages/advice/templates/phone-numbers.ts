import type { Template } from './template.ts'

/** Spellings of one US number, taken in turn: area code, exchange and line in the ways in which people write them. */
const SPELLINGS: readonly ((area: number, exchange: number, line: string) => string)[] = [
  (area, exchange, line) => `${area}-${exchange}-${line}`,
  (area, exchange, line) => `(${area}) ${exchange}-${line}`,
  (area, exchange, line) => `${area}.${exchange}.${line}`,
  (area, exchange, line) => `${area} ${exchange} ${line}`,
]

/** 48 made-up numbers with the reserved exchange 555, spelled in four ways. */
const examples = Array.from({ length: 48 }, (_, index) => {
  const area = 201 + ((index * 37) % 780)
  const line = String(100 + ((index * 7) % 100)).padStart(4, '0')
  const spell = SPELLINGS[index % SPELLINGS.length] ?? String
  return { input: spell(area, 555, line), output: `+1 ${area} 555 ${line}` }
})

export const PHONE_NUMBERS: Template = {
  id: 'phone-number-normalizer',
  name: 'Phone numbers in one form',
  description: 'US phone numbers as people type them become international numbers with single spaces.',
  task: 'Write a US phone number in the form +1 201 555 0100',
  keywords: ['phone', 'telephone', 'number', 'contact', 'mobile', 'normalize', 'format', 'dial'],
  examples,
}

import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { evaluatorOf } from '../../../../core/compile/language/evaluate/columns.ts'
import { classBits, digitValue } from '../../../../core/compile/language/primitives/text/char-classes.ts'
import { UNICODE_VERSION } from '../../../../core/compile/language/primitives/text/unicode-classes.ts'
import { processorMs } from '../../../support/stack/processor-ms.ts'

const UNITS = Array.from({ length: 65_536 }, (_, unit) => unit)

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

describe('classes of units', () => {
  it('are frozen with the language, whatever version of Unicode Node has', () => {
    expect(UNICODE_VERSION).to.equal('17.0')
    expect(digestOf(UNITS.map(classBits).join())).to.equal('fd9981a80f72f268')
    expect(digestOf(UNITS.map((unit) => digitValue(unit) ?? '').join())).to.equal('af612cde54319f66')
  })

  it('stand beside letter cases and normal forms that Node keeps', () => {
    const letters = UNITS.filter((unit) => classBits(unit) !== 0).map((unit) => String.fromCharCode(unit))
    const cased = letters.map((letter) => `${letter.toUpperCase()} ${letter.toLowerCase()} ${letter.normalize('NFKD')}`)
    expect(digestOf(cased.join())).to.equal('481a59a304fb2d03')
  })

  it('read digits of every script in time linear in the text', () => {
    const digits = evaluatorOf((text) => ({ op: 'normalize', text, form: 'asciiDigits' }))
    expect(digits('\u0661\u0662\u0663 \uff14\uff15 \u096c')).to.equal('123 45 6')
    expect(processorMs(() => digits('\u0661'.repeat(1_000_000)))).to.be.lessThan(2000)
  })
})

import { expect } from 'chai'
import { parseInstant } from '../../../core/kernel/wire/since.ts'

describe('a time in a query', () => {
  const zone = process.env['TZ']
  before(() => {
    process.env['TZ'] = 'Asia/Tokyo'
  })
  after(() => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  })

  it('is in UTC where it names no zone, whatever the zone of the server', () => {
    expect(new Date(2020, 0, 1).getTimezoneOffset()).to.equal(-540)
    for (const [text, expected] of [
      ['2020-01-01', '2020-01-01T00:00:00.000Z'],
      ['2020-01-01T12:30', '2020-01-01T12:30:00.000Z'],
      ['2020-01-01T12:30:15.250', '2020-01-01T12:30:15.250Z'],
      ['2020-01-01T12:30:15Z', '2020-01-01T12:30:15.000Z'],
      ['2020-01-01T12:30:15+02:00', '2020-01-01T10:30:15.000Z'],
      ['2020-01-01T12:30:15 02:00', '2020-01-01T10:30:15.000Z'],
      ['0', '1970-01-01T00:00:00.000Z'],
      ['1577836800000', '2020-01-01T00:00:00.000Z'],
    ] as const) {
      expect(parseInstant(text)?.toISOString(), text).to.equal(expected)
    }
  })

  it('is refused when it is none', () => {
    for (const text of ['', 'yesterday', '2020-13-01', '2020-01-01T25:00', '-5', '1e9', '2020-01-01 12:00 GMT']) {
      expect(parseInstant(text), text).to.equal(undefined)
    }
  })
})

import { expect } from 'chai'
import { answer } from '../first-answer.ts'

describe('a program that writes dates in a language', () => {
  it('has the months that no row shows', () => {
    const german = [
      ['05/01/2024', '5. Januar 2024'],
      ['17/03/2023', '17. März 2023'],
      ['30/10/2021', '30. Oktober 2021'],
      ['24/06/2022', '24. Juni 2022'],
      ['09/03/2024', '9. März 2024'],
      ['11/10/2020', '11. Oktober 2020'],
    ] as const
    expect(answer(german, '31/12/2024')).to.equal('31. Dezember 2024')
    expect(answer(german, '02/07/2025')).to.equal('2. Juli 2025')
  })

  it('writes the genitive of a Slavic month, and a capital at the start of a text', () => {
    const polish = [
      ['2024-01-05', '5 stycznia 2024 r.'],
      ['2023-03-17', '17 marca 2023 r.'],
      ['2021-10-30', '30 października 2021 r.'],
      ['2022-06-24', '24 czerwca 2022 r.'],
      ['2024-02-09', '9 lutego 2024 r.'],
    ] as const
    expect(answer(polish, '2024-12-31')).to.equal('31 grudnia 2024 r.')
    const italian = [
      ['05.01.2024', 'Gennaio 2024'],
      ['17.03.2023', 'Marzo 2023'],
      ['30.10.2021', 'Ottobre 2021'],
      ['24.06.2022', 'Giugno 2022'],
      ['09.02.2024', 'Febbraio 2024'],
    ] as const
    expect(answer(italian, '31.12.2024')).to.equal('Dicembre 2024')
  })
})

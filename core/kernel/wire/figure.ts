import { z } from 'zod'

/** A figure that was measured: its value, the number of things that it was measured on, and how. */
export const MeasuredFigure = z.strictObject({
  basis: z.literal('measured'),
  value: z.number(),
  n: z.int().positive(),
  how: z.string().min(1).max(200),
})
export type MeasuredFigure = z.infer<typeof MeasuredFigure>

/** A figure that was not measured, and why. */
export const UnmeasuredFigure = z.strictObject({ basis: z.literal('not_measured'), why: z.string().min(1).max(200) })

/** A figure of evidence: measured, or not measured for a stated reason. Evidence holds no number without a basis. */
export const Figure = z.discriminatedUnion('basis', [MeasuredFigure, UnmeasuredFigure]).meta({ id: 'Figure' })
export type Figure = z.infer<typeof Figure>

/** Returns a measured figure; not measured where there was nothing to measure it on. */
export function measured(value: number, n: number, how: string): Figure {
  return n > 0 ? { basis: 'measured', value, n, how } : notMeasured('there was nothing to measure it on')
}

/** Returns a figure that was not measured. */
export function notMeasured(why: string): Figure {
  return { basis: 'not_measured', why }
}

/** Returns the value of a figure; null when it was not measured. */
export function valueOf(figure: Figure): number | null {
  return figure.basis === 'measured' ? figure.value : null
}

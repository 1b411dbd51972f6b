import { trimText } from '../text/edit.ts'
import { isCurrencySign, WHITE_SPACE } from '../text/char-classes.ts'
import { quotientOf } from './decimal.ts'

/** A unit of measure: `value * factor` is in the base unit of its kind, after `offset` is added to the value. */
export interface Unit {
  readonly kind: string
  /** Spellings, the usual one first. */
  readonly symbols: readonly string[]
  /** An exact decimal, or a quotient of two. */
  readonly factor: string
  readonly offset?: string
}

const unit = (kind: string, factor: string, symbols: string, offset?: string): Unit => ({
  kind,
  symbols: symbols.split(' '),
  factor,
  ...(offset === undefined ? {} : { offset }),
})

/**
 * The units that are read and converted. Factors are those of the International System, of the international yard and
 * pound agreement of 1959, and of the customary units of the United States. `KB` counts 1,000 bytes, and 1,024 among the
 * units whose names end in 1024.
 */
export const UNITS = {
  m: unit('length', '1', 'm metre metres meter meters'),
  km: unit('length', '1000', 'km kilometre kilometres kilometer kilometers'),
  dm: unit('length', '0.1', 'dm'),
  cm: unit('length', '0.01', 'cm centimetre centimetres centimeter centimeters'),
  mm: unit('length', '0.001', 'mm millimetre millimetres millimeter millimeters'),
  in: unit('length', '0.0254', 'in inch inches " ″ ”'),
  ft: unit('length', '0.3048', "ft foot feet ' ′ ’"),
  yd: unit('length', '0.9144', 'yd yds yard yards'),
  mi: unit('length', '1609.344', 'mi mile miles'),
  nmi: unit('length', '1852', 'nmi'),
  g: unit('mass', '1', 'g gr gram grams'),
  kg: unit('mass', '1000', 'kg kgs kilo kilos kilogram kilograms'),
  mg: unit('mass', '0.001', 'mg'),
  ug: unit('mass', '0.000001', 'µg μg ug mcg'),
  t: unit('mass', '1000000', 't tonne tonnes'),
  lb: unit('mass', '453.59237', 'lb lbs pound pounds'),
  oz: unit('mass', '28.349523125', 'oz ounce ounces'),
  st: unit('mass', '6350.29318', 'st stone'),
  s: unit('time', '1', 's sec secs second seconds'),
  ms: unit('time', '0.001', 'ms msec millisecond milliseconds'),
  min: unit('time', '60', 'min m mins minute minutes'),
  h: unit('time', '3600', 'h hr hrs hour hours'),
  d: unit('time', '86400', 'd day days'),
  week: unit('time', '604800', 'w wk wks week weeks'),
  l: unit('volume', '1', 'l L litre litres liter liters'),
  ml: unit('volume', '0.001', 'ml mL cc'),
  cl: unit('volume', '0.01', 'cl'),
  dl: unit('volume', '0.1', 'dl'),
  m3: unit('volume', '1000', 'm³ cbm'),
  gal: unit('volume', '3.785411784', 'gal gallon gallons'),
  qt: unit('volume', '0.946352946', 'qt quart quarts'),
  pt: unit('volume', '0.473176473', 'pt pint pints'),
  cup: unit('volume', '0.2365882365', 'cup cups'),
  floz: unit('volume', '0.0295735295625', 'floz'),
  m2: unit('area', '1', 'm² sqm'),
  km2: unit('area', '1000000', 'km²'),
  cm2: unit('area', '0.0001', 'cm²'),
  ha: unit('area', '10000', 'ha hectare hectares'),
  acre: unit('area', '4046.8564224', 'ac acre acres'),
  ft2: unit('area', '0.09290304', 'ft² sqft'),
  mi2: unit('area', '2589988.110336', 'mi²'),
  B: unit('data', '1', 'B byte bytes'),
  bit: unit('data', '0.125', 'bit bits'),
  kB: unit('data', '1000', 'KB kB'),
  MB: unit('data', '1000000', 'MB'),
  GB: unit('data', '1000000000', 'GB'),
  TB: unit('data', '1000000000000', 'TB'),
  KiB: unit('data', '1024', 'KiB'),
  MiB: unit('data', '1048576', 'MiB'),
  GiB: unit('data', '1073741824', 'GiB'),
  TiB: unit('data', '1099511627776', 'TiB'),
  B1024: unit('data1024', '1', 'B byte bytes'),
  KB1024: unit('data1024', '1024', 'KB kB K KiB'),
  MB1024: unit('data1024', '1048576', 'MB M MiB'),
  GB1024: unit('data1024', '1073741824', 'GB G GiB'),
  TB1024: unit('data1024', '1099511627776', 'TB T TiB'),
  mps: unit('speed', '1', 'm/s mps'),
  kmh: unit('speed', '1000/3600', 'km/h kmh kph'),
  mph: unit('speed', '0.44704', 'mph'),
  kn: unit('speed', '1852/3600', 'kn kt kts knot knots'),
  K: unit('temperature', '1', 'K'),
  C: unit('temperature', '1', '°C C ℃', '273.15'),
  F: unit('temperature', '5/9', '°F F ℉', '459.67'),
  J: unit('energy', '1', 'J'),
  kJ: unit('energy', '1000', 'kJ'),
  cal: unit('energy', '4.184', 'cal'),
  kcal: unit('energy', '4184', 'kcal Cal'),
  Wh: unit('energy', '3600', 'Wh'),
  kWh: unit('energy', '3600000', 'kWh'),
  MWh: unit('energy', '3600000000', 'MWh'),
  Pa: unit('pressure', '1', 'Pa'),
  hPa: unit('pressure', '100', 'hPa mbar'),
  kPa: unit('pressure', '1000', 'kPa'),
  bar: unit('pressure', '100000', 'bar'),
  atm: unit('pressure', '101325', 'atm'),
  psi: unit('pressure', '6894.757293168', 'psi'),
  one: unit('number', '1', ''),
  thousand: unit('number', '1000', 'k K thousand'),
  million: unit('number', '1000000', 'm M mn mio million'),
  billion: unit('number', '1000000000', 'b B bn billion'),
  trillion: unit('number', '1000000000000', 't T tn trillion'),
} as const satisfies Readonly<Record<string, Unit>>

/** The name of a unit. */
export type UnitName = keyof typeof UNITS

function isUnitName(name: string): name is UnitName {
  return Object.hasOwn(UNITS, name)
}

/** The names of all units. */
export const UNIT_NAMES: readonly UnitName[] = Object.keys(UNITS).filter(isUnitName)

/** A fraction of whole numbers. */
interface Fraction {
  readonly over: bigint
  readonly under: bigint
}

function fractionOf(text: string): Fraction {
  const [over = '', under = '1'] = text.split('/')
  const [whole = '', decimals = ''] = over.split('.')
  return { over: BigInt(whole + decimals), under: BigInt(under) * 10n ** BigInt(decimals.length) }
}

const times = (a: Fraction, b: Fraction): Fraction => ({ over: a.over * b.over, under: a.under * b.under })
const plus = (a: Fraction, b: Fraction): Fraction => ({
  over: a.over * b.under + b.over * a.under,
  under: a.under * b.under,
})

interface KnownUnit {
  readonly name: UnitName
  readonly factor: Fraction
  readonly offset: Fraction
}

const KNOWN: ReadonlyMap<UnitName, KnownUnit> = new Map(
  UNIT_NAMES.map((name) => {
    const { factor, offset = '0' }: Unit = UNITS[name]
    return [name, { name, factor: fractionOf(factor), offset: fractionOf(offset) }]
  }),
)
/** The units of each kind by their spellings, and by these in lower case where no other spelling is the same. */
const SPELLINGS = new Map<string, Map<string, KnownUnit>>()
for (const isExact of [true, false])
  for (const [name, found] of KNOWN) {
    const { kind, symbols } = UNITS[name]
    const own = SPELLINGS.get(kind) ?? new Map<string, KnownUnit>()
    SPELLINGS.set(kind, own)
    for (const symbol of symbols) {
      const key = isExact ? symbol : symbol.toLowerCase()
      if (!own.has(key)) own.set(key, found)
    }
  }

/** Longest text and most digits of a number that are read. */
const MAX_TEXT = 120
const MAX_DIGITS = 30
const PART = /(\d{1,3}(?:,\d{3})+(?!\d)|\d+)((?:\.\d+)?) ?([^\d\s,.;]*)\.?/y
const BETWEEN = /[\s,]*(?:and\s+)?/y
/** Days, weeks, hours, minutes and seconds of ISO 8601; years and months have no fixed length. */
const ISO_DURATION = /^P(?=.)((?:\d+W)?(?:\d+D)?)(?:T(?=.)((?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?))?$/

/** One amount of a quantity, with the unit by which it is written. */
export interface QuantityPart {
  readonly amount: string
  readonly unit: UnitName
}

function bySpelling(kind: string, spelling: string): KnownUnit | undefined {
  const units = SPELLINGS.get(kind)
  return units?.get(spelling) ?? units?.get(spelling.toLowerCase())
}

/** The amounts of a text from larger to smaller units of one kind; undefined when it is no such quantity. */
function partsOf(text: string, kind: string): QuantityPart[] | undefined {
  const parts: QuantityPart[] = []
  let last: KnownUnit | undefined
  for (let at = 0; at < text.length; at = BETWEEN.lastIndex) {
    PART.lastIndex = at
    const [, whole = '', decimals = '', spelling = ''] = PART.exec(text) ?? []
    const found = whole === '' ? undefined : bySpelling(kind, spelling)
    if (found === undefined || whole.length + decimals.length > MAX_DIGITS) return undefined
    if (last !== undefined && (kind === 'number' || kind === 'temperature')) return undefined
    if (last !== undefined && last.factor.over * found.factor.under <= found.factor.over * last.factor.under)
      return undefined
    parts.push({ amount: whole.replaceAll(',', '') + decimals, unit: found.name })
    last = found
    BETWEEN.lastIndex = PART.lastIndex
    BETWEEN.exec(text)
  }
  return parts.length === 0 ? undefined : parts
}

/** The sign of a quantity and its amounts; undefined for a text that is not a quantity of the kind. */
export function quantityParts(
  text: string,
  kind: string,
): { readonly isNegative: boolean; readonly parts: readonly QuantityPart[] } | undefined {
  let plain = trimText(text, 'both', WHITE_SPACE)
  if (plain.length > MAX_TEXT) return undefined
  const isNegative = /^[-\u2212]/.test(plain)
  if (/^[-+\u2212]/.test(plain)) plain = plain.slice(1).trimStart()
  if (kind === 'number' && isCurrencySign(plain.charCodeAt(0))) plain = plain.slice(1).trimStart()
  if (kind === 'time') plain = plain.replace(ISO_DURATION, '$1$2')
  const parts = partsOf(plain, kind)
  return parts === undefined ? undefined : { isNegative, parts }
}

/** Reads a quantity, such as `12 km`, `5 ft 11 in`, `1h 30m` or `1.5 GiB`, in another unit of its kind. */
export function readQuantityText(text: string, to: UnitName): number | undefined {
  const target = KNOWN.get(to)
  const read = quantityParts(text, UNITS[to].kind)
  if (target === undefined || read === undefined) return undefined
  let total: Fraction = { over: 0n, under: 1n }
  for (const { amount, unit: name } of read.parts) {
    const from = KNOWN.get(name)
    if (from === undefined) return undefined
    const value = fractionOf(read.isNegative ? `-${amount}` : amount)
    total = plus(total, times(plus(value, from.offset), from.factor))
  }
  const { factor, offset } = target
  const scaled = times(total, { over: factor.under, under: factor.over })
  const { over, under } = plus(scaled, { over: -offset.over, under: offset.under })
  const result = quotientOf(over, under)
  return Number.isFinite(result) ? result : undefined
}

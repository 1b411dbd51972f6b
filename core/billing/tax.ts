/** Names of the invoice fields of a tenant. */
export const TAX_FIELDS = ['vatNumber', 'taxId', 'companyName', 'countryCode'] as const

/** Invoice fields of a tenant. */
export type TaxFields = { readonly [name in (typeof TAX_FIELDS)[number]]: string | null }

/** ISO 3166-1 alpha-2, all officially assigned codes. */
export const COUNTRY_CODES: readonly string[] = (
  'AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA ' +
  'CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA ' +
  'GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP ' +
  'KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS ' +
  'MT MU MV MW MX MY MZ NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS ' +
  'RU RW SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW ' +
  'TZ UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS YE YT ZA ZM ZW'
).split(' ')

const COUNTRIES = new Set(COUNTRY_CODES)

/** True for a country of ISO 3166-1, in upper case. */
export function isCountry(code: string): boolean {
  return COUNTRIES.has(code)
}

/**
 * VAT numbers by prefix: the VIES system of the European Union (EL is Greece, XI Northern Ireland), the United Kingdom,
 * Switzerland and Norway. Only the form is checked: only the authorities know whether a number is assigned.
 */
const VAT_FORMS: Readonly<Record<string, RegExp>> = {
  AT: /^U\d{8}$/,
  BE: /^[01]\d{9}$/,
  BG: /^\d{9,10}$/,
  CY: /^\d{8}[A-Z]$/,
  CZ: /^\d{8,10}$/,
  DE: /^\d{9}$/,
  DK: /^\d{8}$/,
  EE: /^\d{9}$/,
  EL: /^\d{9}$/,
  ES: /^[A-Z0-9]\d{7}[A-Z0-9]$/,
  FI: /^\d{8}$/,
  FR: /^[A-HJ-NP-Z0-9]{2}\d{9}$/,
  HR: /^\d{11}$/,
  HU: /^\d{8}$/,
  IE: /^(\d[A-Z0-9+*]\d{5}[A-Z]|\d{7}[A-W][A-I]?)$/,
  IT: /^\d{11}$/,
  LT: /^(\d{9}|\d{12})$/,
  LU: /^\d{8}$/,
  LV: /^\d{11}$/,
  MT: /^\d{8}$/,
  NL: /^[A-Z0-9+*]{10}\d{2}$/,
  PL: /^\d{10}$/,
  PT: /^\d{9}$/,
  RO: /^\d{2,10}$/,
  SE: /^\d{10}01$/,
  SI: /^\d{8}$/,
  SK: /^\d{10}$/,
  XI: /^(\d{9}|\d{12}|(GD|HA)\d{3})$/,
  GB: /^(\d{9}|\d{12}|(GD|HA)\d{3})$/,
  CH: /^E\d{9}(MWST|TVA|IVA)?$/,
  NO: /^\d{9}MVA$/,
}

/** A VAT number without spaces and dots, in upper case. */
export function normalizeVatNumber(text: string): string {
  return text.replaceAll(/[\s.-]/g, '').toUpperCase()
}

/** True for a normalized VAT number with a prefix that we know and the form that belongs to it. */
export function isVatNumber(text: string): boolean {
  return VAT_FORMS[text.slice(0, 2)]?.test(text.slice(2)) === true
}

/** The country whose numbers have a VAT number's prefix. */
export function countryOfVatNumber(vatNumber: string): string {
  const prefix = vatNumber.slice(0, 2)
  if (prefix === 'EL') return 'GR'
  return prefix === 'XI' ? 'GB' : prefix
}

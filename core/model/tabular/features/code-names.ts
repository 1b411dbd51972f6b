/** Words of names whose digits are no quantity. */
const CODE_WORDS = new Set(
  'zip postal postcode phone telephone tel mobile fax code id sku iban ean isbn account vat ssn'.split(' '),
)
/** Words of names whose digits are parted by points, as dates may be. */
const PARTED_WORDS = new Set('version release build ip firmware chapter section'.split(' '))

/** Returns true where a name says that digits are a code: `zip`, `customerId`. */
export function isCodeName(name: string): boolean {
  return wordsOf(name).some((word) => CODE_WORDS.has(word))
}

/** Returns true where a name says that digits are a code or a number of several parts: `version`. */
export function isPartedName(name: string): boolean {
  return isCodeName(name) || wordsOf(name).some((word) => PARTED_WORDS.has(word))
}

function wordsOf(name: string): string[] {
  return name
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
}

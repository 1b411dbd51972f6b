import { z } from 'zod'

// Characters that `readAddress` refuses as well; U+0130 and U+212A become ASCII letters in lower case.
const BARRED = String.raw`\s@<>"\u0000-\u001f\u007f-\u009f\u0130\u212a`
const ADDRESS = new RegExp(`^[^${BARRED}]{1,64}@[^${BARRED}.]+(\\.[^${BARRED}.]+)+$`)

/** An e-mail address in a body. */
export const Email = z
  .string()
  .trim()
  .max(254)
  .regex(ADDRESS, {
    error: 'must be a valid e-mail address',
  })
  .meta({ example: 'ada@example.com' })

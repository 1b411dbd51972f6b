import { z } from 'zod'

/** By subject, everything of it: a list, or an object where there is one of a kind. */
export const AccountDocument = z.looseObject({}).meta({ id: 'AccountExport' })

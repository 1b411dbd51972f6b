/**
 * A plain text of this project about nothing in particular: what a student's base knows of language is measured on it, in bits per
 * byte, before and after training.
 */
export const NEUTRAL_TEXT = `The ferry leaves the harbour at seven in the morning and comes back before noon. On most days it carries
bread, letters and a few people who work on the other side of the bay. When the wind is strong the captain waits for an hour, and the
people drink tea in the small house beside the pier. There is a clock on its wall that has been slow for years.

To repair a bicycle chain, turn the bicycle upside down so that the wheels can move. Clean the links with a dry cloth, look for one that
is stiff, and bend it a little from side to side until it moves like the others. Then put a drop of oil on each roller and wipe off what
is left over. A chain that has become too long should be replaced, since it wears out the teeth of the wheels.

The library keeps its oldest maps in flat drawers, away from the light. Each sheet has a number, the year in which it was drawn and the
name of the person who gave it. Visitors may look at them in the reading room, where they wash their hands first and use a pencil for
their notes. Last spring a student found that two of the maps showed the same river with different names.`

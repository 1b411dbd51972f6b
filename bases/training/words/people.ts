import { words } from './split.ts'

/** Given names of many languages, in ASCII letters. */
export const GIVEN_NAMES = words(`
  James Mary John Patricia Robert Jennifer Michael Linda William Elizabeth David Barbara Richard Susan Joseph Jessica
  Thomas Sarah Charles Karen Daniel Lisa Matthew Nancy Anthony Betty Mark Sandra Paul Ashley Steven Emily Andrew Donna
  Kenneth Michelle George Carol Joshua Amanda Kevin Melissa Brian Deborah Edward Stephanie Ronald Rebecca Timothy Laura
  Jason Helen Jeffrey Sharon Ryan Cynthia Jacob Kathleen Gary Amy Nicholas Shirley Eric Angela Jonathan Anna Stephen
  Ruth Larry Brenda Justin Pamela Scott Nicole Brandon Katherine Benjamin Samantha Samuel Christine Frank Emma Gregory
  Catherine Raymond Debra Alexander Virginia Patrick Rachel Jack Carolyn Dennis Janet Jerry Maria Tyler Heather Aaron
  Diane Henry Julie Douglas Joyce Peter Victoria Adam Kelly Nathan Christina Walter Lauren Zoe Joan Kyle Evelyn Carl
  Olivia Arthur Judith Roger Megan Keith Cheryl Jeremy Andrea Terry Hannah Lawrence Martha Sean Jacqueline Ethan Frances
  Austin Gloria Joe Ann Noah Teresa Billy Kathryn Bruce Sara Bryan Janice Ralph Jean Roy Alice Jordan Madison Eugene
  Doris Dylan Abigail Louis Julia Alan Judy Juan Grace Wayne Denise Randy Amber Vincent Marilyn Philip Beverly Bobby
  Danielle Johnny Theresa Bradley Sophia Ahmed Fatima Yusuf Aisha Omar Layla Hassan Noor Ali Zainab Wei Mei Jun Ling
  Hiro Yuki Kenji Sakura Raj Priya Arjun Anita Vikram Sunita Sanjay Deepa Ivan Olga Dmitri Natasha Sergei Irina Pavel
  Katya Luca Giulia Marco Chiara Paolo Elena Hans Greta Lars Ingrid Sven Astrid Pierre Claire Luc Amelie Carlos Lucia
  Diego Sofia Miguel Carmen Pedro Ines Joao Beatriz Kwame Ama Chidi Ngozi Tunde Amara Liam Mia Lucas Ella Mason Ava
  Logan Lily Owen Chloe Leo Nora Max Ivy Felix Ruby Oscar Clara Hugo Stella Theo Violet Miles Hazel Simon Rosa Victor`)

/** Family names of many languages, in ASCII letters. */
export const FAMILY_NAMES = words(`
  Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Gonzalez Wilson Anderson
  Taylor Moore Jackson Martin Lee Perez Thompson White Harris Sanchez Clark Ramirez Lewis Robinson Walker Young Allen
  King Wright Torres Nguyen Hill Flores Green Adams Nelson Baker Hall Rivera Campbell Mitchell Carter Roberts Gomez
  Phillips Evans Turner Diaz Parker Cruz Edwards Collins Reyes Stewart Morris Morales Murphy Cook Rogers Gutierrez Ortiz
  Morgan Cooper Peterson Bailey Reed Kelly Howard Ramos Kim Cox Ward Richardson Watson Brooks Chavez Wood Bennett Gray
  Mendoza Ruiz Hughes Price Alvarez Castillo Sanders Patel Myers Long Ross Foster Jimenez Powell Jenkins Perry Russell
  Sullivan Bell Coleman Butler Henderson Barnes Fisher Vasquez Simmons Romero Jordan Patterson Alexander Hamilton Graham
  Reynolds Griffin Wallace West Cole Hayes Bryant Herrera Gibson Ellis Tran Medina Stevens Murray Ford Castro Marshall
  Owens Harrison Fernandez Wells Woods Kennedy Tanaka Suzuki Sato Kumar Singh Sharma Gupta Chen Wang Zhang Liu Yang
  Huang Khan Hussain Rahman Okafor Mensah Ivanov Petrov Novak Kowalski Rossi Russo Bianchi Muller Schmidt Weber Fischer
  Dubois Laurent Moreau Silva Santos Costa Jensen Hansen Larsen Berg Lind Haas Klein Vogel Stone Marsh Frost Lane Park`)

/** Courtesy titles with their short forms. */
export const TITLES: readonly (readonly [long: string, short: string])[] = [
  ['Doctor', 'Dr.'],
  ['Mister', 'Mr.'],
  ['Professor', 'Prof.'],
  ['Captain', 'Capt.'],
  ['Sergeant', 'Sgt.'],
  ['Senator', 'Sen.'],
  ['Reverend', 'Rev.'],
  ['General', 'Gen.'],
]

/** Occupations. */
export const JOBS = words(`
  teacher nurse driver engineer lawyer baker farmer pilot painter singer writer actor chef waiter plumber electrician
  dentist doctor clerk manager cashier carpenter barber tailor gardener librarian journalist scientist programmer
  accountant architect designer mechanic soldier sailor officer guard student professor judge banker broker builder
  cleaner coach dancer editor florist hunter jeweller miner musician optician pharmacist photographer postman priest
  reporter secretary surgeon translator vet welder`)

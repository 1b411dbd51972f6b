/** Given names that are common, in several languages, and hardly words of their own. */
export const GIVEN_NAMES: ReadonlySet<string> = new Set(
  `Aaron Abdul Abigail Adam Adele Adrian Agnes Ahmed Aisha Alan Albert Alejandro Alessandro Alex Alexander Alexandra Alexis Ali
  Alice Alicia Alison Allison Alyssa Amanda Amber Amelia Amina Amir Amy Ana Anastasia Andrea Andreas Andres Andrew Angela Angelica Anita
  Anja Ann Anna Anne Annette Annie Anthony Antoine Anton Antonio Aoife Arjun Arnold Arthur Ashley Astrid Audrey Aurora Barbara Beatrice Ben
  Benjamin Bernard Bernd Beth Betty Birgit Björn Brandon Brenda Brian Bridget Bruno Bryan Caitlin Cameron Camille Carl Carla Carlos Carmen
  Carol Caroline Carolyn Catherine Cecilia Charlotte Cheryl Chloe Chris Christian Christina Christine Christopher Ciara Claire Clara Claudia
  Colin Connor Craig Crystal Cynthia Daniel Daniela Danielle Darren David Deborah Debra Denise Dennis Derek Diana Diane Diego Dieter Dmitri
  Dominic Donald Donna Doris Dorothy Douglas Duncan Dylan Edith Eduardo Edward Eileen Elaine Eleanor Elena Eli Elias Elijah Elisabeth Elizabeth
  Ella Ellen Emil Emily Emma Enrique Eric Erica Erik Ernest Esther Ethan Eugene Eva Evan Evelyn Fatima Felipe Felix Fernando Fiona Florian
  Frances Francesca Francesco Francis Francisco Franz Fred Frederick Friedrich Gabriel Gabriela Gareth Gary Gavin Gemma Geoffrey George Gerald
  Gerard Gertrud Gianni Gina Giovanni Giulia Gloria Gordon Graham Gregory Greta Guillaume Gustavo Hannah Hans Harold Harriet Harry Hassan
  Heather Hector Heidi Heinrich Helen Helena Helga Henry Herbert Hiroshi Holly Howard Hugo Ian Ibrahim Ines Ingrid Irene Iris Isaac Isabel
  Isabella Ivan Jacob Jacqueline Jake James Jamie Jane Janet Janice Jasmine Jason Javier Jean Jeffrey Jennifer Jeremy Jerry Jessica Joan Joanna
  Joanne Joel Johan Johanna Johannes John Jonas Jonathan Jorge Jose José Josef Joseph Joshua Joyce Juan Juana Judith Judy Julia Julian Juliana Julie
  Jürgen Justin Karen Karin Karl Kate Katharina Katherine Kathleen Kathryn Katie Katja Kayla Keith Kelly Kenneth Kevin Kimberly Klaus Kristen
  Kristina Kumar Kyle Lars Laura Lauren Laurent Leah Lena Leo Leon Leonard Leonardo Leslie Liam Lillian Linda Lindsay Lisa Logan Lorenzo Louis Louise
  Luca Lucas Lucia Lucy Luigi Luis Luisa Lukas Luke Lydia Maggie Magdalena Manuel Marc Marcel Marco Marcus Margaret Maria Marie Mario Marion
  Marta Martha Martin Martina Mary Mateo Matthew Matthias Maureen Maurice Max Maximilian Megan Mehmet Mei Melanie Melissa Michael Michaela Michel Michelle
  Miguel Mikhail Mohamed Mohammed Monica Monika Muhammad Nancy Naomi Natalia Natalie Natasha Nathan Nathaniel Neil Nicholas Nicole Nigel Nikolai
  Nina Noah Nora Norman Oleg Oliver Olivia Omar Oscar Otto Owen Pablo Pamela Paolo Patricia Patrick Paul Paula Pauline Pavel Pedro Peggy Penelope
  Peter Petra Philip Philipp Phillip Phyllis Pierre Priya Rachel Rafael Raj Rajesh Ralph Ramon Raphael Raymond Rebecca Regina Renate
  Ricardo Richard Rita Robert Roberto Robin Rodrigo Roger Roland Ronald Rosa Rosemary Ruth Ryan Sabine Sabrina Sally Samantha Samir Samuel Sandra
  Sara Sarah Scott Sean Sebastian Sergei Sergio Shannon Sharon Sheila Shirley Silvia Simon Simone Siobhan Sofia Sonia Sophia Sophie Stefan Stefanie
  Stella Stephanie Stephen Steven Stuart Susan Susanne Suzanne Sven Sylvia Tamara Tanya Tara Tatiana Teresa Thomas Tiffany Timothy Tina Tobias Todd
  Tomas Tracy Travis Trevor Tyler Uwe Valentina Valerie Vanessa Vera Veronica Victor Viktor Vincent Virginia Vladimir Walter Wanda Wayne
  Wendy Wilhelm William Wolfgang Xavier Yasmin Yolanda Yuki Yusuf Yvonne Zachary Zoe`.split(/\s+/),
)

/** Given names that are also words, months or places: they count only before a family name of the list. */
export const AMBIGUOUS_GIVEN_NAMES: ReadonlySet<string> = new Set(
  `April August Austin Bill Bob Brooke Chase Chelsea Clay Cliff Crystal Daisy Dallas Dawn Dean Dick Drew Earl Faith Florence Frank Gene Georgia Glen
  Grace Grant Guy Hope Hunter Iris Ivy Jack Jade Jay Jim Joe Jordan Joy June Kim Lance Lee Lily Madison Mark Mason Matt May Mike Nick Olive
  Paris Parker Pat Paige Pearl Penny Ray Reed Rich Rob Rod Rose Ruby Sam Sandy Savannah Sky Steve Summer Sue Sydney Taylor Ted Terry Tim Tom Tony Troy
  Violet Ward Will`.split(/\s+/),
)

/** Family names that are common, in several languages. */
export const FAMILY_NAMES: ReadonlySet<string> = new Set(
  `Abbott Adams Ahmed Alexander Ali Allen Alvarez Andersen Anderson Andersson Andrews Armstrong Arnold Bailey Baker Barnes Bauer Becker Bell Bennett
  Berg Bernard Berry Bianchi Black Boyd Bradley Braun Brooks Brown Bryant Burke Burns Butler Byrne Campbell Carpenter Carroll Carter Castillo Castro Chan Chavez
  Chen Clark Clarke Cohen Cole Coleman Collins Cook Cooper Costa Cox Crawford Cruz Cunningham Davies Davis Delgado Diaz Díaz Dixon Dubois Duncan Dunn Durand
  Edwards Elliott Ellis Evans Ferguson Fernandez Fernández Ferrari Fischer Fisher Fitzgerald Fleming Fletcher Flores Ford Foster Fox Fowler Franklin Freeman
  Fuchs Garcia García Gardner Gibson Gomez Gómez Gonzales Gonzalez González Goldberg Gordon Graham Grant Gray Green Greene Griffin Gupta Gutierrez Hall Hamilton Hansen
  Harper Harris Harrison Hartmann Harvey Hayes Henderson Henry Hernandez Hernández Herrera Hicks Hill Hoffman Hoffmann Holmes Howard Huang Huber Hudson Hughes Hunt
  Hunter Hussain Ivanov Jackson Jacobs James Janssen Jenkins Jensen Jimenez Johansson Johnson Johnston Jones Jordan Kaiser Kaufmann Keller Kelly Kennedy Khan Kim King Klein
  Knight Koch Kowalski Kraus Krause Krüger Kumar Lang Larsen Larsson Lawrence Lawson Lee Lehmann Lewis Li Lin Lindberg Liu Long Lopez López Ludwig Maier Marino Marshall
  Martin Martinez Martínez Mason Matthews Maurer Mayer McCarthy McDonald McKenzie Medina Mendoza Meyer Miller Mills Mitchell Moore Morales Moreau Moreno Morgan Morris Morrison
  Müller Muller Murphy Murray Myers Nakamura Navarro Nelson Neumann Newman Nguyen Nielsen Novak Nowak O'Brien O'Connor O'Neill Olsen Olson Ortega Ortiz Owens Palmer Park Parker
  Patel Patterson Payne Pereira Perez Pérez Perkins Perry Peters Petersen Peterson Petit Petrov Phillips Pierce Popov Porter Powell Price Quinn Ramirez Ramos Reed Reid Reyes Reynolds
  Ricci Rice Richards Richardson Richter Rivera Roberts Robertson Robinson Rodriguez Rodríguez Rogers Romano Rose Ross Rossi Roth Rousseau Ruiz Russell Russo Ryan Salazar
  Sanchez Sánchez Sanders Santos Sato Schäfer Schmid Schmidt Schmitt Schneider Scholz Schröder Schulz Schulze Schwarz Schubert Scott Sharma Shaw Silva Simmons Simpson Singh Smith Snyder
  Sokolov Spencer Stein Stevens Stewart Stone Sullivan Sun Suzuki Tanaka Taylor Thomas Thompson Torres Tucker Turner Vargas Vasquez Vogel Wagner Walker Wallace Walsh Walter Wang
  Ward Warren Washington Watanabe Watson Weaver Webb Weber Weiß Wells Werner West White Wilkinson Williams Williamson Willis Wilson Winkler Wolf Wong Wood Woods Wright Wu Yamamoto Yang
  Young Zhang Zhao Ziegler Zimmermann`.split(/\s+/),
)

/** Words after a given name that make it a place, a prize or a company. */
export const NOT_FAMILY_NAMES: ReadonlySet<string> = new Set(
  `Academy Act Airport And Arena Army Avenue Award Awards Bank Bay Beach Boulevard Bridge Building Business Campus Canyon Castle Cathedral Center Centre
  Chapel Church City Clinic Club Coast Code Collection College Company Conference Corp Corporation County Course Court Cup Day Days Department District Drive
  Express Falls Festival Field Files Forest Foundation Fund Gallery Garden Gardens Group Hall Harbor Harbour Hills Hospital Hotel House Hub Inc Institute Island Islands Journal
  Lake Lane Law Library Limited Line Ltd Market Medal Memorial Mountain Mountains Museum Nicole Opera Palace Park Parkway Peninsula Plan Plaza Prize Project Protocol Railway Region Report
  Republic Resort Review River Road School Score Series Server Society Square Stadium State States Station Street Studio Studios Studies Terrace Test Texas Theatre Theater Theorem Times Tower
  Town Tunnel Union University Valley Version Village Way Weekly Works The This That These Those Then There They We You He She It His Her Its If In On At For From With Without When Where
  Who What Why How Is Was Are Were Has Have Had Can Could Will Would Should May Might Must Do Does Did But Or Not No Yes So As To Of By An A Please Thanks Hello Hi Dear Also After Before
  Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August September October November December`.split(
    /\s+/,
  ),
)

/** Words before a family name. */
export const TITLES: ReadonlySet<string> = new Set(
  'Mr Mrs Ms Miss Mx Dr Prof Professor Sir Madam Herr Frau Mme Mlle Monsieur Madame Señor Señora Sr Sra Signor Signora'.split(
    ' ',
  ),
)

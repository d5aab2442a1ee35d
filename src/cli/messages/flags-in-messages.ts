/** What messages of the library say of its calls, and how the command line says it. */
const FLAGS: readonly (readonly [call: RegExp, flag: string])[] = [
  [/Pass url to connect\(\) or set ARROWBOOK_URL; connect\.sample\(\)/, "Pass --url or set ARROWBOOK_URL; --sample"],
  [/(?<=address )passed to connect\(\) or in ARROWBOOK_URL/, "of --url or ARROWBOOK_URL"],
  [/(?<=address )passed to connect\(\{ url \}\)/, "of --url or ARROWBOOK_URL"],
  [/connect\(\{ url \}\)/, "--url or ARROWBOOK_URL"],
  [/(?<=key )passed to connect\(\) or in ARROWBOOK_API_KEY/, "of --key, --key-file or ARROWBOOK_API_KEY"],
  [/(?<=[Pp]ass )(?:apiKey|an API key) to connect\(\)(?= or set ARROWBOOK_API_KEY)/, "--key-file"],
  [/pass the key as apiKey/, "pass the key by --key-file"],
  [/connect\(\{ profile \}\)/, "--profile"],
  [/connect\(\{ (profile|url): (\S+) \}\)/, "--$1 $2"],
  [
    /: (?:connect\(\{ profile: )?defineProfile\([^)]*\)(?: \}\))?/,
    " (in a program; there is no flag for it): see docs/profiles.md",
  ],
  [/timeouts\.export of connect\(\) sets the limit, and stale: "use"/, "--stale use"],
  [
    /[,;]? (?:and |or )?(?:raise )?(?:the )?(?:timeouts|limits|retry)\S* of connect\(\)[^.;,]*,?(?: and (?=stale))?/,
    "",
  ],
  [/(?<=Raise the limit with )maxRatio/, "--max-ratio"],
  [/,? or pass proxy: false to connect\(\)/, ""],
  [
    /where\(\{ … \}, \{ local: true \}\) filters by the rest here, after the rows have arrived/,
    "filter the output by the rest with arrowbook sql",
  ],
  [/out of where\(\)( and filter the frame)?/, "out of --where"],
  [/(?<=^|\. )metadata\(\) lists/, "arrowbook meta dataset lists"],
  [/Call sync\(\)/, "Run arrowbook sync"],
  [/\(\.export\(\)\)/, "(arrowbook export)"],
  [/(?:with )?\.?format\("(\w+)"\)/, "--format $1"],
  [/service\.table\("VENDOR\/TABLE"\)/, "arrowbook get table VENDOR/TABLE"],
  [/Frame\.fromParquet\(\) and the like read series saved before/, "arrowbook sql reads series saved before"],
  [
    /The frame of frame\.sql\(\) is called this: .*$/,
    "A table has the name of its file; NAME=FILE names it otherwise.",
  ],
  [/\{ decimal: ",", thousands: "\." \}/, '--decimal "," --thousands "."'],
  [/(?<=^|\. )The option (\w+) of from\w+\(\)/, "--$1"],
  [/(?<=; )since(?= needs)|(?<=(?:Leave|Without) )(?:since|by)\b/, "--$&"],
];

/** A message or hint of the library as the command line shows it: with flags in place of calls and their arguments. */
export function withFlags(text: string): string {
  return FLAGS.reduce((line, [call, flag]) => line.replace(call, flag), text);
}

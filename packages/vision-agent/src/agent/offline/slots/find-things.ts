// words → things that no detector here has a class for

const NO_THING =
  /^(?:me|him|her|his|hers|theirs|the|how|what|who|which|crossing|crossings|going|please|camera|cameras|now|it|one|ones|they|them|he|she|this|that|these|those|there|here|you|your|my|a|an|any|all|some|on|in|at|is|are|when|if|results?|alerts?|events?|pictures?|images?|photos?|video|longer|more|less|than|long|each|every|least|most|only|just|too|also|again|has|have|had|been|gets?|got|was|were|will|visualization|happened|happens|line|zone|middle|left|right|top|bottom|watch|watches|pipelines?|tasks?|movement|both|either|while|minutes?|seconds?|hours?|tracking|anything|everything|make|change|something|same|other|another|new|case|then|free|busy|its|so|stays?|stands?|leaves?|enters?|appears?|possible|blocks?|models?|total|far|today|yesterday|many|count|traffic|today's|lot|few|couple|bit|time|first|last|next|real|live|and|or|for|to|of|with|from|by|number|figures?|counts?|totals?|empty|nobody|cross|crosses|crossed|pass|passes|passed|go|goes|went|drive|drives|drove|walk|walks|walked|come|comes|came|move|moves|run|runs|whole|entire|everywhere|anywhere|once|twice|at|two|three|four|five|six|else|such|nothing|nobody|not|report|keep|start|stop|begin|send|save|remember|then|me|us|down|up|out|away|similar|whatever|anybody|anyone|either|sometimes|maybe|so|even|both|none|unmanned|unattended|vacant|deserted|crowded|full|clear|open|closed|still|quiet|loitering|overstays?|over|under|above|below|beyond)$/;

/** The thing that is looked for and is no class; undefined when nothing is named there. */
export function findThing(text: string): string | undefined {
  const pattern =
    /\b(?:class|labelled|labeled|count|counting|for|detects?|detecting|track|tracking|finds?|spots?|sees?|notices?|when|if|whenever|there|there's)\s+(?:there |is |are |the |all |any |an? |some |my |how many |number of |every |each |new )*([\p{L}-]{3,}(?: (?:hats?|plates?|extinguishers?|vests?|balls?|helmets?|lights?|glasses|gloves|masks?|tags?))?)/gu;
  for (const match of text.matchAll(pattern)) {
    const word = match[1] ?? "";
    if (!NO_THING.test(word.split(" ")[0] ?? "") && !/(?:ing|ly)$/.test(word)) return word;
  }
  return undefined;
}

// example sentences, a bar between two → what kind of sentence each is; the classifier learns from them

/** Cameras of the examples, which stand for any camera. */
export const EXAMPLE_CAMERAS: readonly string[] =
  "dock,yard,street,gate,driveway,garage,hall,bay,porch,lobby,warehouse,shop,entrance,back door,front door,car park,cellar,kitchen,office,cam1,cam2".split(
    ",",
  );

export const EXAMPLES = {
  question: `
why did i get an alert? | did you hear anything? | is the garage door open? | can the cameras be turned?
is "only at night" still set for the gate? | would removing the watch also stop the count?
if i pause it, do i still get alerts? | can i have two things on one watch? | what if we made it ten minutes?
what is the watch on the gate called? | tell me why the shop is so empty | tell me more about that
remember when we counted cars? | who told you to watch the gate? | what would it take to count trucks?
i have a question about the alerts | explain the difference between a watch and a count | what do you see on the dock?
is anybody at the front door? | how many cars are there right now | who was at the gate last night?
what happened yesterday between 3 and 5? | did a truck come today? | which cameras do you have?
what are you watching at the moment? | what is running? | show me the yard | have a look at the porch
describe the street | give me a picture of the hall | how many people crossed today?
when was the last time you saw a dog? | any visitors this morning? | was there anyone in the cellar after midnight
summarize the day | what did I miss? | why did you alert me? | why was I not told about the van? | list my watches
show me the alerts of today | what can you do? | help | can you count people? | can you tell cats from dogs?
could you recognise a face? | is it possible to watch two cameras at once? | do you only tell me at night?
does the dock watch include cars? | which setting is the daily limit? | where do I change the quiet hours?
how do I stop the watch on the street? | how does the pause work? | what does it mean when a watch is paused?
what would you need to see helmets? | which blocks are there for tracking? | what do you know about the blue van?
whose car is that? | when do the bins go out? | when you say person, does that include children?
do I have to restart anything after a change? | should I add another camera or move this one?
what happens if I remove a watch? | are you going to tell me when somebody comes?
who gets told when the alarm goes off? | how long do you keep pictures? | is the yard being watched after 10 pm?
what time does the night watch begin? | how often will you tell me about cars? | is there a way to be told only once?
did I ask you to watch the gate? | have you stopped counting? | which of the watches is for trucks?
what was the busiest hour on the street? | tell me what happened on the dock | tell me about the last hour
tell me who came by this morning | tell me what you see right now | check whether there is anybody in the office
i wonder how many people came in today | i'd like to see what is going on in the hall
any idea why it was so quiet last night | remind me what you are watching | what was changed today?
what did you do this week? | is a watch for dogs set up? | what exactly are you looking for on cam1?
how many tasks are scheduled? | would you say the car park is full? | does anything run on the bay?
when I say stop, what stops? | what counts as staying? | how late is it there? | whats on cam2 | anyone there
people on the street now? | how busy is the shop
`,
  health: `
did a camera drop out last night? | when did you last get a picture from the gate? | are there any dead cameras?
is the camera up? | is the dock camera working? | are all cameras online? | is everything ok with the cameras?
which camera is down? | is the yard still sending pictures? | why is the porch black?
the gate camera seems frozen, is it? | is cam1 offline? | has any camera dropped out? | how healthy is the system?
is the picture from the garage stuck? | when did the hall camera go offline? | are you getting frames from the street?
does the driveway feed still come in? | is there a problem with any of the cameras? | status of the cameras
how is the connection to the warehouse? | did the camera at the bay lose its signal?
how many frames per second does the dock give? | is everything up and running? | are the pipelines healthy?
check the health of the cameras | any camera trouble today? | is something wrong with the lobby feed
has the lens been covered? | are you alive and well? | do all of them still work? | is the stream lagging?
can you still see the yard or is it dead? | anything broken?
`,
  cost: `
are we over the limit for today, money wise? | what is the daily spending cap set to?
how much have i paid for looking at pictures? | how much did this cost today? | what have we spent this month?
how much money is left today? | what does it cost me? | how expensive is this? | how many tokens did you use?
what is the bill so far? | is there any budget left? | how much of the daily limit is used up?
what's my usage this week? | are you costing me anything right now? | how close are we to the spending cap?
what did yesterday's questions cost | tell me what we paid for the model | show me the spending
how much do you charge | did we go over budget? | give me the usage figures | how many dollars so far?
what will one alert set me back | am I being billed for this? | price of today's chat
how much have you burned through today | what's the damage this month, money-wise?
`,
  delivery: `
did you manage to send the warning? | has anyone been informed about it? | did the last alert actually reach my phone?
did my last alert go through? | was anybody told? | did the message about the van reach me?
were the alerts delivered? | has the notification been sent? | which alerts failed to send? | did you really send it?
who received the last alert? | why did I get no message on my phone? | are my alerts getting through?
did the webhook get the alert? | was the alarm last night sent out? | how many alerts could not be delivered?
did anyone acknowledge it? | has somebody seen the alert? | did the warning arrive? | where do the alerts go?
which channel did you use for the last one? | do my notifications still come through? | did it land in my inbox?
was I notified about the truck? | when did you last message me?
`,
  wish: `
start counting | count them please | keep watch over the gate for vans for the next two hours
find people on the gate and cars on the street | record how many bikes pass on the driveway
launch our workflow on the dock, two frames per second will do | could that be started on the gate?
could you get it running on the porch camera? | ensure nobody is in the hall after 9 and tell me otherwise
use my workflow 'stock' on rtsp://10.0.0.7/live at 2 fps | watch rtsp://10.0.0.7/live for people
tell me when a person appears in clips/test.mp4 | tell me when a person appears on the dock
let me know if a car parks in the driveway for more than 5 minutes
alert me when somebody enters the left half of the yard | warn me if nobody is at the counter for ten minutes
notify me whenever a truck arrives at the bay | ping me as soon as a dog shows up
give me a shout if the postman comes | i want to know when a van stops at the gate
i'd like an alarm when someone is in the yard after midnight | watch the street for bicycles
watch the dock for people at night | keep an eye on the porch for parcels | monitor the warehouse
look out for cats in the kitchen | guard the gate at night | count people crossing the middle of the street
count the cars in the car park | keep a tally of trucks on the dock | start counting bikes on the driveway
could you count who goes in and out? | detect people on cam1 and vehicles on cam2
track the forklifts in the warehouse | follow people in the hall | run acme/helmets/3 on the dock
run my workflow ppe-check on the yard | use my workflow on cam1 at 2 fps | start the workflow on the street
can you tell me when a child is in the kitchen? | could you keep an eye on the dock for trucks?
would you let me know when a delivery comes? | please alert me about any person in the cellar between 22:00 and 6:00
if a dog gets into the yard, tell me | when a car leaves the garage let me know
whenever somebody crosses the line, send me a message | as soon as the truck is gone, tell me
should anyone come to the back door tonight, wake me | tell me when there are more than five people in the shop
alert me if a bag is left in the lobby for two minutes | tell me about every truck on the dock
send me an alert when a person is near the car | nobody may be in the yard at night, warn me if someone is
make sure I hear about anyone at the gate | set up an alert for cars on the street
create a watch for people on the porch | add an alert for dogs in the yard
i need to be told when the queue gets longer than six | give me a heads-up when the bus comes
somebody keeps stealing parcels, tell me when anyone is at the door | also tell me about cats
and the same on the dock | trucks on the dock, more than ten minutes, tell me
let me know when the last person has left the office | tell me once the bay is free again
every time a car comes in, tell me | have people counted at the entrance | build me a workflow that counts cars
parking is limited to 30 minutes, if a car stays longer tell me
i'm interested in trucks that stay more than half an hour
let me hear about every car that enters the right half of the yard between 6pm and 8am
shout if somebody waits in the lobby | message me if no truck has come for two hours
drop me a line when the hall is empty | inform me when someone loiters by the entrance
it would be good to know when the yard is empty for 20 minutes | begin the count please
watch both cameras for people | be on the lookout for horses | call me when somebody is at the front door
tell me if half a dozen people are there | on every camera except the yard tell me when a person appears
put a line in the middle of the street and count the cars crossing it
`,
  change: `
hold on, leave the street out, just the dock | i don't want it between 6:00 and 20:00
keep telling me about cars but at most once an hour | twice an hour would do | every 15 minutes would be enough
three minutes is too little, put it at six | two minutes is a bit tight, four would be better
i do not want the gate, i want the hall | the same on the porch please
the alerts never stop, once in a while would do | concerning that watch, only after 9 pm | no, 20 | trucks too
only at night | make it five minutes | no, cars | not the dog | at most once an hour | also on the dock
i meant the yard | the other camera please | leave the dog out | only between 8 pm and 7 am please
too many alerts, once an hour is enough | less often please | that is too often, every ten minutes is plenty
ten minutes instead | raise it to six people | lower the limit to two | change it to the left half
only tell me about trucks | ignore the cat | not more than twice an hour | add bicycles to that
use the street instead | make that two minutes | the watch on the yard should only fire after dark
change the hours to 20:00 until 6:00 | i don't need it during the day | don't bother me at night
only on the right side | make it critical | it should also tell me about cars | five minutes is too short, use ten
wrong camera, i wanted the yard | not there, on the dock | without the trucks | better five | switch it to the gate
forget the trucks | everything except dogs | all day, not only at night | i get one every minute, that is annoying
extend it to the hall | take the street out of it | actually only people | nine or more | shorten it to 30 seconds
wait longer before you tell me | no need for the dock any more | rather the left side
regarding the dog alert, only between 8 and 10
`,
  stop: `
forget the last one | drop the last watch | stop everything | stop the watch on the dock | stop counting cars
remove the alert for the yard | cancel the task | delete the watch for dogs | end the count on the street
turn off the alerts for the gate | switch off the detection on cam1 | please stop watching the garage
no more alerts about cats | you can stop now | stop it | that's enough, stop | pause the street count
pause everything for ten minutes | hold the count on the dock | suspend the watch on the hall until 6 pm
resume the count | continue with the yard | start it again | carry on counting | shut everything down
kill the pipeline on the street | get rid of the watch on the porch | i don't need the dog alert any more
don't watch the kitchen any longer | scrap the last one | call it off | forget about the last alert
stop all pipelines | end all watches | cancel the daily summary | remove the last watch | stop telling me about trucks
turn everything off | halt the count and keep the other one going | stop the one on the dock but leave the street
switch the whole thing off | resume street-count | unpause the gate | give the street count a break | knock it off
disable the night watch | drop the watch for vans | clear all watches | that watch can go
you need not watch the shop any more
`,
  quiet: `
ignore the gate until tomorrow | ease off on the alerts for today | pause the alerts until i am home
no word about the porch until i say so | don't ping me about the dock before wednesday
leave me alone about the driveway till monday | don't tell me anything until tomorrow | mute the yard until friday
mute the dog alerts for the weekend | silence the alarms for two hours | be quiet for an hour
no alerts for the next three days please | snooze the gate until 8 | i don't want to hear from you today
hush until i'm back | shut up about the cat for a while | keep it down while the builders are here
do not disturb me until 6 | give me some peace until monday morning | not a peep until lunch
hold the notifications while i'm on holiday | i'm on vacation, no messages until sunday
stop bothering me about the porch till next week | quiet please, for the rest of the day
put the alerts on silent tonight | turn the alerts down for an hour | skip the alerts this weekend
let me sleep in peace tonight | save the alerts for later | hold back anything about cars until the party is over
spare me the messages during the meeting | no more pings before tuesday
keep the dock alerts to yourself until wednesday | we're having guests, so don't alert me before midnight
i know about the truck, stop nagging until it's gone
`,
  undo: `
cancel what i changed last | i want it the way it was yesterday | swap it back to the old hours
reset it to what it was | i liked it better before | drop my last change | go back to how it was before | undo that
undo the last change | put it back the way it was | revert that | restore the old settings | take that back
as it was before please | change it back | i want the old one back | bring back the watch i deleted
reverse what you just did | set everything back to yesterday | that was a mistake, undo it | roll it back
back to the previous hours | forget what i just changed | return to the earlier version
reinstate the alert you removed | un-delete the last watch | can you take back the last step?
same as it was this morning | make it like it used to be | i changed my mind, put it back
recover the watch from before | never mind the change, keep it as it was
`,
  trial: `
show me how a warning would look | let it ring once for testing | does the alert work? try it once
fire a trial alert for the bay | send me a test alert | test the alarm on the dock | do a dry run of the yard watch
simulate a person at the gate | try out the notification | let me see what an alert looks like
trigger the watch once so i can see if it works | send a sample message | pretend a car came to the driveway
do a fire drill with the alarm | make the alarm go off as a test | give me a demo alert | run a test of the alerts
test whether i get the message | show me an example alert | set off the alert on the porch to check it
can you fake an alert so i know it works | practice alarm please | check that the alert would reach me by sending one
act as if somebody was at the door | just once, send one to see if it arrives | rehearse the warning for the hall
`,
  remember: `
remember that the blue van belongs to anna | note that the bins go out on thursday
keep in mind that deliveries come at nine | don't forget that the code is 4711
for the record, the postman is called alan | fyi the gate sticks | make a note: the plumber comes on friday
i prefer short answers, remember that | the cleaner has a new car, please write that down
save this: the alarm code is 1234 | just so you know, we close at six | memorize that the dog is called rex
our shifts begin at seven from now on, make a note of it | note down the number plate of the milkman
store that the left door is the fire exit | remember the white truck is from the bakery
please remember my name is tom | jot down that the fence is broken | for your information the yard is locked at ten
keep that in mind | always call me boss, remember | don't forget: mondays we are closed
`,
  schedule: `
look at the gate every 15 minutes and tell me how many cars are there
check the yard for dogs each hour and let me know | every morning at 8 tell me what happened
remind me at 5 pm to lock the gate | every hour look at the dock and tell me how many people are there
send me a summary every evening | give me a daily report at 6:30 | tomorrow at 9 tell me how many cars came
in ten minutes look at the yard | each friday at noon list the alerts | at 22:00 stop the count
every 20 minutes check the hall | once a day tell me how many trucks came | tonight at 11 take a picture of the street
i'd like a report every monday | remind me in half an hour | every night at 10 summarize the day
schedule a look at the bay for 7 am | daily at noon count who is in the office | at 6 pm start watching the gate
every weekday at 8 start the count | i want an overview each evening at seven | hourly report on the shop please
check the porch every 5 minutes and report
`,
  camera: `
the shed has a camera now, rtsp://10.0.0.7/live | my attic camera lives at rtsp://10.0.0.7/live
take rtsp://10.0.0.7/live into the list as porch | add a camera called garage at rtsp://10.0.0.7/live
there's a new camera at rtsp://10.0.0.7/live, call it backdoor
connect the attic camera, it is at rtsp://10.0.0.7/live | add another camera | register rtsp://10.0.0.7/live as garden
set up a camera named stairs on webcam:0 | i installed a camera in the attic, its address is rtsp://10.0.0.7/live
please hook up the stream rtsp://10.0.0.7/live under the name shed | save rtsp://10.0.0.7/live as the loft camera
the new cam for the barn is rtsp://10.0.0.7/live | we have one more camera now: attic, rtsp://10.0.0.7/live
here is the address of the cellar camera: rtsp://10.0.0.7/live
put rtsp://10.0.0.7/live on the list of cameras as stable | include the feed rtsp://10.0.0.7/live, name it roof
could you add my doorbell? it is rtsp://10.0.0.7/live | i bought a camera, how do i add it
use rtsp://10.0.0.7/live as a new camera called pool
take over the stream at rtsp://10.0.0.7/live and call it terrace
enter a camera: name barn, address rtsp://10.0.0.7/live
this is the link of my new camera rtsp://10.0.0.7/live call her pond | let's name rtsp://10.0.0.7/live side gate
make rtsp://10.0.0.7/live available as workshop
`,
  talk: `
whoops, my mistake | sorry, my bad | hello | hi there | good morning | thanks | thank you very much | well done
great job | cheers mate | yes | yes please | no | no thanks | ok | sure, go ahead | never mind | how are you?
you are funny | i love this | see you tomorrow | good night | bye | nice weather today | i'm back | sorry | haha
that was quick | you're the best | what a day | i am just testing the microphone | lovely | fine | hmm | that is all
perfect
`,
  chore: `
open the gate | unlock the front door | turn the camera to the left | zoom in on the car
switch on the light in the garage | call the police | send an email to my boss | text maria that the truck is here
record a video of the dock | delete all recordings | post the picture on instagram | order a pizza
tell my wife i am late | let the courier in | sound the siren | play some music | feed the dog
rename the yard camera to garden | print the report | start the conveyor belt | reboot the camera | water the plants
write a poem | translate this into french | tell me a joke | book a taxi for six | honk at the people on the street
lower the shutters | move the camera a bit up | share the video with the neighbours | drive the intruder away
lock everything up | turn the heating down | buy more milk | upload the clip to the cloud
`,
  remark: `
my dog hates the rain | there was a lot of traffic this morning | i saw a person on the yard yesterday
the street count looks wrong to me | we had too many people at the party | nobody ever tells me anything
the watch i bought is great | i don't think the gate needs a watch | it would be silly to count cars here
maybe we should watch the street too | perhaps an alert would help, i am not sure | i might add a camera next year
he told me to stop by the dock later | i was going to pause it but decided against it | please do not remove anything
don't stop watching the yard | don't touch the watches | leave everything as it is | keep it as it is
the cars are always there | our neighbour has a new dog | people come and go all day | the postman was late again
it is quiet on the street today | the truck broke down in front of the gate | i told you about the van
you said you would count them | somebody should watch that door one day | the yard is a mess | i like how you count
that number seems high | the camera is quite good | my wife set up the watch | the alert last night woke me up
i think it is working now | they parked on the grass again | counting sheep helps me sleep | i never asked for that
you missed the van yesterday | we use the dock for deliveries | watch your language | keep the change
run that by me again | stop it, you are making me laugh | i would rather not | no idea what you mean
`,
} as const;

export type SentenceKind = keyof typeof EXAMPLES;

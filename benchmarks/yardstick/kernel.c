// The yardstick of benchmarks/rules.py: an early form of games/tichu/_core.py by hand in C, kept as it was so that figures
// stay comparable. Its rules are a little simpler: bombs are asked for after plays only, not after passes.
//     gcc -O3 -o build/yardstick benchmarks/yardstick/kernel.c && build/yardstick 20000
// prints rounds, decisions, CPU-seconds and a checksum.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
typedef int64_t i64;
#define M 0x1111111111111111LL
#define DOG 1LL
#define MAHJONG (1LL<<4)
#define DRAGON (1LL<<60)
#define PHOENIX (1LL<<61)
#define NORMAL 0x0FFFFFFFFFFFFF00LL
#define ALL (NORMAL|DOG|MAHJONG|DRAGON|PHOENIX)
enum {PASS,SINGLE,PAIR,TRIPLE,STAIRS,FULLHOUSE,STRAIGHT,BOMB};
enum {HAND=0,PHASE=4,TURN,TYPE,LEN,RANK2,OWNER,WISH,TRICK,PTS,NOUT=16,ORDER=17,CALL=21,HASPL=25,ASK,SEEN,FIRST8,RNG=32,SS=40};
enum {P_PLAY,P_BOMB,P_WISH,P_DRAGON,P_DONE};
static inline int ctz(i64 x){return __builtin_ctzll(x);}
static inline int pop(i64 x){return __builtin_popcountll(x);}
static inline i64 rnd(i64*s,i64 n){i64 r=(s[RNG]&0xFFFFFFFFLL)*698769069LL+(s[RNG]>>32);s[RNG]=r;return ((r&0xFFFFFFFFLL)*n)>>32;}
static inline int points(i64 c){int v=5*pop(c&(15LL<<20))+10*pop(c&((15LL<<40)|(15LL<<52)));if(c&DRAGON)v+=25;if(c&PHOENIX)v-=25;return v;}
static inline i64 low(i64 x){i64 a=x&M,b=(x>>1)&M&~a,ab=a|b,c=(x>>2)&M&~ab,d=(x>>3)&M&~(ab|c);return a|(b<<1)|(c<<2)|(d<<3);}
static inline i64 any(i64 x){return (x|(x>>1)|(x>>2)|(x>>3))&M;}
static inline int has_bomb(i64 h){i64 x=h&NORMAL,q=x&(x>>1);q=q&(q>>2)&M;i64 r=x&(x>>4);r=r&(r>>8)&(x>>16);return (q|r)!=0;}
static inline i64 window(int lo,int hi){return ((1LL<<(4*(hi-lo+1)))-1)<<(4*lo);}
#define META(t,l,r,p) (((i64)(p)<<24)|((t)<<16)|((l)<<8)|(r))
static inline i64 above(i64 m,int tr){int k=4*(tr+1);return (m>>k)<<k;}
#define EMIT(c,m) do{cs[n]=(c);ms[n]=(m);n++;}while(0)
static int gen_bombs(i64 x,int tlen,int tr2,i64*cs,i64*ms,int n){
 if(tlen<=4){i64 q=x&(x>>1);q=q&(q>>2)&M;while(q){int sh=ctz(q);q&=q-1;int r2=sh>>1;if(tlen<4||r2>tr2)EMIT(15LL<<sh,META(BOMB,4,r2,0));}}
 i64 r=x&(x>>4);r=r&(r>>8)&(x>>16);int L=5;
 while(r){if(L>=tlen){i64 y=r;while(y){int sh=ctz(y);y&=y-1;int hi=(sh>>2)+L-1;if(L>tlen||2*hi>tr2)EMIT(window(sh>>2,hi)&(M<<(sh&3)),META(BOMB,L,2*hi,0));}}
  r=r&(x>>(4*L));L++;}
 return n;}
static inline int gen_same(int t,i64 ba,i64 bc,i64 pa,i64 pc,i64 ph,int tr,i64*cs,i64*ms,int n){
 i64 m=above(ba,tr);while(m){int sh=ctz(m);m&=m-1;EMIT(bc&(15LL<<sh),META(t,t,sh>>1,0));}
 if(ph){m=above(pa,tr);while(m){int sh=ctz(m);m&=m-1;EMIT((pc&(15LL<<sh))|PHOENIX,META(t,t,sh>>1,sh>>2));}}
 return n;}
static int gen_fh(i64 g1,i64 g2,i64 g3,i64 c1,i64 c2,i64 c3,i64 ph,int tr,i64*cs,i64*ms,int n){
 i64 m=above(g3,tr);
 while(m){int sh=ctz(m);m&=m-1;i64 t=c3&(15LL<<sh),mt=META(FULLHOUSE,5,sh>>1,0);i64 q=g2&~(15LL<<sh);
  while(q){int s2=ctz(q);q&=q-1;EMIT(t|(c2&(15LL<<s2)),mt);}
  if(ph){q=g1&~(15LL<<sh);while(q){int s2=ctz(q);q&=q-1;EMIT(t|(c1&(15LL<<s2))|PHOENIX,mt|((i64)(s2>>2)<<24));}}}
 if(ph){m=above(g2,tr);while(m){int sh=ctz(m);m&=m-1;i64 t=(c2&(15LL<<sh))|PHOENIX,mt=META(FULLHOUSE,5,sh>>1,sh>>2);i64 q=g2&~(15LL<<sh);
  while(q){int s2=ctz(q);q&=q-1;EMIT(t|(c2&(15LL<<s2)),mt);}}}
 return n;}
static int gen_stairs(i64 g1,i64 g2,i64 c1,i64 c2,i64 ph,int tlen,int tr,i64*cs,i64*ms,int n){
 i64 p=ph?g1:g2,st=p&(p>>4);
 while(st){int sh=ctz(st);st&=st-1;int lo=sh>>2,hi=lo,miss=-1;
  while(hi<=14){i64 bit=1LL<<(4*hi);
   if(!(g2&bit)){if(!ph||miss>=0||!(g1&bit))break;miss=hi;}
   int k=hi-lo+1;
   if(k>=2&&(tlen==0||(2*k==tlen&&hi>tr))){i64 w=window(lo,hi);
    if(miss<0){EMIT(c2&w,META(STAIRS,2*k,2*hi,0));
     if(ph)for(int j=lo;j<=hi;j++){i64 nib=15LL<<(4*j);EMIT((c2&w&~nib)|(c1&nib)|PHOENIX,META(STAIRS,2*k,2*hi,j));}}
    else{i64 nib=15LL<<(4*miss);EMIT((c2&w&~nib)|(c1&nib)|PHOENIX,META(STAIRS,2*k,2*hi,miss));}}
   if(2*k==tlen)break;hi++;}}
 return n;}
static int gen_straights(i64 hand,i64 x,i64 g1,i64 g2,i64 c1,i64 ph,int tlen,int tr,i64*cs,i64*ms,int n){
 i64 p=g1|(hand&MAHJONG),cc=c1|(hand&MAHJONG),two=p&(p>>4),five=two&(two>>8)&(p>>16);
 if(!ph&&!five)return n;
 for(int lo=1;lo<11;lo++){int hi=lo,miss=-1;if(tlen&&lo+tlen-1<=tr)continue;
  while(hi<=14){if(!(p&(1LL<<(4*hi)))){if(!ph||miss>=0||hi==1)break;miss=hi;}
   int k=hi-lo+1;
   if(k>=5&&(tlen==0||k==tlen)){i64 w=window(lo,hi);
    if(miss<0){i64 st=cc&w;
     if(lo>=2&&st==(w&(M<<(ctz(st)&3)))){i64 alt=g2&w;if(alt){i64 nib=15LL<<ctz(alt),y=x&nib;y&=y-1;st=(st&~nib)|(y&-y);}else st=0;}
     if(st)EMIT(st,META(STRAIGHT,k,2*hi,0));
     if(ph)for(int j=lo>2?lo:2;j<=hi;j++)EMIT((cc&w&~(15LL<<(4*j)))|PHOENIX,META(STRAIGHT,k,2*hi,j));}
    else EMIT((cc&w)|PHOENIX,META(STRAIGHT,k,2*hi,miss));}
   if(k==tlen)break;hi++;}}
 return n;}
static int legal_plays(i64 hand,int tt,int tlen,int tr2,int wish,i64*cs,i64*ms){
 int n=0;i64 x=hand&NORMAL,ph=hand&PHOENIX;
 if(tt){cs[0]=0;ms[0]=0;n=1;if(tt==BOMB)n=gen_bombs(x,tlen,tr2,cs,ms,n);}
 int tr=tr2>>1;
 if(tt!=BOMB){i64 c1=low(x),g1=any(x);
  if(tt<=SINGLE){i64 m=tr<15?above(g1,tr):0;while(m){int sh=ctz(m);m&=m-1;EMIT(c1&(15LL<<sh),META(SINGLE,1,sh>>1,0));}
   if(tt==PASS){if(hand&DOG)EMIT(DOG,META(SINGLE,1,0,0));if(hand&MAHJONG)EMIT(MAHJONG,META(SINGLE,1,2,0));}
   if(hand&DRAGON)EMIT(DRAGON,META(SINGLE,1,30,0));
   if(ph&&tr2!=30)EMIT(PHOENIX,META(SINGLE,1,(tt?tr2+1:3),0));}
  if(tt!=SINGLE){i64 y=x&~c1,l2=low(y),c2=c1|l2,g2=any(y);
   if(tt<=PAIR)n=gen_same(PAIR,g2,c2,g1,c1,ph,tr,cs,ms,n);
   if(tt==PASS||tt==TRIPLE||tt==FULLHOUSE){i64 z=y&~l2,c3=c2|low(z),g3=any(z);
    if(tt!=FULLHOUSE)n=gen_same(TRIPLE,g3,c3,g2,c2,ph,tr,cs,ms,n);
    if(tt!=TRIPLE)n=gen_fh(g1,g2,g3,c1,c2,c3,ph,tr,cs,ms,n);}
   if(tt==PASS||tt==STAIRS)n=gen_stairs(g1,g2,c1,c2,ph,tlen,tr,cs,ms,n);
   if(tt==PASS||tt==STRAIGHT)n=gen_straights(hand,x,g1,g2,c1,ph,tlen,tr,cs,ms,n);}
  n=gen_bombs(x,0,0,cs,ms,n);}
 if(wish){i64 w=15LL<<(4*wish);if(hand&w){int k=0;for(int i=0;i<n;i++)if(cs[i]&w){cs[k]=cs[i];ms[k]=ms[i];k++;}if(k)n=k;}}
 return n;}
static void new_round(i64*s,i64 seed){memset(s,0,SS*8);s[RNG]=((seed&0xFFFFFFFFLL)^0x9E3779B9LL)|((1+(seed>>32))<<32);for(int i=0;i<6;i++)rnd(s,2);
 int n0=14,n1=14,n2=14,left=56;i64 deck=ALL;
 while(deck){i64 c=deck&-deck;deck^=c;i64 r=rnd(s,left);left--;
  if(r<n0){n0--;s[0]|=c;}else if(r<n0+n1){n1--;s[1]|=c;}else if(r<n0+n1+n2){n2--;s[2]|=c;}else s[3]|=c;}
 for(int p=0;p<4;p++){i64 h=s[p],f=0;int need=8,l=14;while(h){i64 c=h&-h;h^=c;if(rnd(s,l)<need){need--;f|=c;}l--;}s[FIRST8+p]=f;}}
static void schupf(i64*s,i64*g){for(int p=0;p<4;p++)s[p]&=~(g[3*p]|g[3*p+1]|g[3*p+2]);for(int p=0;p<4;p++)for(int k=0;k<3;k++)s[(p+1+k)&3]|=g[3*p+k];}
static void start_play(i64*s){for(int p=0;p<4;p++)if(s[p]&MAHJONG)s[TURN]=p;s[OWNER]=-1;s[PHASE]=P_PLAY;}
static void new_trick(i64*s,int leader){s[TYPE]=s[LEN]=s[RANK2]=0;s[OWNER]=-1;s[TRICK]=0;int q=leader;while(!s[q])q=(q+1)&3;s[TURN]=q;s[PHASE]=P_PLAY;}
static void collect(i64*s,int done){int o=s[OWNER];if(s[RANK2]==30&&s[TYPE]==SINGLE){s[TURN]=o;s[PHASE]=P_DRAGON;return;}s[PTS+o]+=points(s[TRICK]);if(done)s[PHASE]=P_DONE;else new_trick(s,o);}
static void advance(i64*s,int p){int o=s[OWNER],q=p;for(;;){q=(q+1)&3;if(q==o){collect(s,0);return;}if(s[q]){s[TURN]=q;s[PHASE]=P_PLAY;return;}}}
static int bomb_beats(i64*s,i64 h){if(!has_bomb(h))return 0;if(s[TYPE]!=BOMB)return 1;i64 x=h&NORMAL;int tlen=s[LEN],tr2=s[RANK2];
 if(tlen==4){i64 q=x&(x>>1);q=q&(q>>2)&M;if(q>>(2*tr2+4))return 1;}
 i64 r=x&(x>>4);r=r&(r>>8)&(x>>16);int L=5;while(r){if(L>tlen)return 1;if(L==tlen&&(r>>(4*((tr2>>1)-L+2))))return 1;r=r&(x>>(4*L));L++;}return 0;}
static void next_bomber(i64*s){i64 ask=s[ASK];int p=s[OWNER];if(!ask){advance(s,p);return;}for(int i=1;i<4;i++){int q=(p+i)&3;if(ask&(1<<q)){s[ASK]=ask&~(1LL<<q);s[TURN]=q;s[PHASE]=P_BOMB;return;}}}
static void open_bomb(i64*s,int p){i64 ask=0;for(int i=1;i<4;i++){int q=(p+i)&3;if(s[q]&&bomb_beats(s,s[q]))ask|=1<<q;}s[ASK]=ask;next_bomber(s);}
static int plays(i64*s,i64*cs,i64*ms){i64 h=s[s[TURN]];if(s[PHASE]==P_PLAY)return legal_plays(h,s[TYPE],s[LEN],s[RANK2],s[WISH],cs,ms);
 cs[0]=ms[0]=0;if(s[TYPE]==BOMB)return gen_bombs(h&NORMAL,s[LEN],s[RANK2],cs,ms,1);return gen_bombs(h&NORMAL,0,0,cs,ms,1);}
static void step(i64*s,i64 c,i64 mt){int p=s[TURN];if(!c){if(s[PHASE]==P_BOMB)next_bomber(s);else advance(s,p);return;}
 i64 h=s[p]&~c;s[p]=h;s[SEEN]|=c;s[HASPL]|=1<<p;i64 w=s[WISH];if(w&&(c&(15LL<<(4*w))))s[WISH]=0;
 s[TRICK]|=c;s[TYPE]=(mt>>16)&255;s[LEN]=(mt>>8)&255;s[RANK2]=mt&255;s[OWNER]=p;
 if(!h){int n=s[NOUT];s[ORDER+n]=p;n++;s[NOUT]=n;if(n==3||(n==2&&s[ORDER]==(p^2))){if(c==DOG)s[PHASE]=P_DONE;else collect(s,1);return;}}
 if(c==DOG)new_trick(s,p^2);else if(c&MAHJONG)s[PHASE]=P_WISH;else open_bomb(s,p);}
static void give_dragon(i64*s,int q){s[PTS+q]+=points(s[TRICK]);int n=s[NOUT];if(n==3||(n==2&&s[ORDER]==(s[ORDER+1]^2)))s[PHASE]=P_DONE;else new_trick(s,s[OWNER]);}
static i64 score(i64*s){int a=0,b=0;if(s[NOUT]==2){if(s[ORDER]&1)b=200;else a=200;}else{int last=6-s[ORDER]-s[ORDER+1]-s[ORDER+2];
  for(int p=0;p<4;p++){int v=s[PTS+p],q=p==last?s[ORDER]:p;if(q&1)b+=v;else a+=v;}int v=points(s[last]);if(last&1)a+=v;else b+=v;}
 for(int p=0;p<4;p++){int v=100*s[CALL+p];if(s[ORDER]!=p)v=-v;if(p&1)b+=v;else a+=v;}return (a+1000)*4096LL+(b+1000);}
static i64 kth(i64 x,int k){while(k--)x&=x-1;return x&-x;}
i64 random_round(i64*s,i64 seed,i64*cs,i64*ms,i64*st){i64 g[12];new_round(s,seed);
 for(int p=0;p<4;p++)if(rnd(s,20)==0)s[CALL+p]=2;
 for(int p=0;p<4;p++){i64 h=s[p];for(int k=0;k<3;k++){i64 c=kth(h,rnd(s,14-k));h^=c;g[3*p+k]=c;}}
 schupf(s,g);start_play(s);
 while(s[PHASE]!=P_DONE){int ph=s[PHASE];
  if(ph<=P_BOMB){int n=plays(s,cs,ms),i;
   if(ph==P_PLAY){int p=s[TURN];if(!((s[HASPL]>>p)&1)&&s[CALL+p]==0&&rnd(s,10)==0)s[CALL+p]=1;i=rnd(s,n);}
   else if(rnd(s,3))i=0;else i=rnd(s,n);
   st[0]++;st[1]+=n;if(n>st[2])st[2]=n;step(s,cs[i],ms[i]);}
  else if(ph==P_WISH){s[WISH]=2+rnd(s,13);open_bomb(s,s[OWNER]);}
  else give_dragon(s,(s[TURN]+1+2*rnd(s,2))&3);}
 return score(s);}
static i64 decisions;
i64 random_rounds(i64 seed0,i64 n){i64 s[SS],cs[512],ms[512],st[3]={0},tot=0;for(i64 i=0;i<n;i++){i64 v=random_round(s,seed0+i,cs,ms,st);tot+=(v>>12)-1000+7*((v&4095)-1000);}decisions=st[0];return tot;}
static double now(){struct timespec t;clock_gettime(CLOCK_PROCESS_CPUTIME_ID,&t);return t.tv_sec+1e-9*t.tv_nsec;}
int main(int ac,char**av){i64 n=ac>1?atol(av[1]):20000;random_rounds(0,n/10+1);double t=now();i64 sum=random_rounds(0,n);
 printf("%ld %ld %.6f %ld\n",(long)n,(long)decisions,now()-t,(long)sum);}
